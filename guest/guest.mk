# guest/guest.mk -- what is loaded into a Node.js or a Python that becomes a
# zygote: a library of ours, and the glue around a program.
#
# The library lives in somebody else's process, so nothing of it is visible but
# what it must export, and it is never built with sanitizers: their run time
# cannot be loaded into a program that was linked without it.
#
# SPDX-License-Identifier: MIT

G        := $(OUT)/guest
PIC      := $(OUT)/pic
PIC_HARDEN := -O2 -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fno-strict-aliasing \
              -fPIC -fvisibility=hidden
PIC_COMPILE = $(CC) -std=c17 $(CPPFLAGS) $(WARN) $(PIC_HARDEN) $(CFLAGS) -MMD -MP
PIC_LINK := -shared -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--no-undefined

pic_objects = $(patsubst %.c,$(PIC)/%.o,$(wildcard $(1)))
# Of the jail only what a process does to itself.
ZYGOTE_JAIL := calls calls_table seal
ZYGOTE := $(filter-out %/cold.o,$(call pic_objects,src/zygote/*.c)) \
          $(call pic_objects,src/wire/*.c src/base/*.c) \
          $(patsubst %,$(PIC)/src/jail/%.o,$(ZYGOTE_JAIL))

comma := ,
NODE_HEADERS := $(or $(firstword $(wildcard node_modules/node-linux-*/include/node)),/usr/include/node)

$(PIC)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(PIC_COMPILE) -c $< -o $@
$(PIC)/guest/node/%.o: guest/node/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(PIC_COMPILE) -isystem $(NODE_HEADERS) -c $< -o $@

$(G)/node/glovebox-node.so: $(call pic_objects,guest/node/*.c) $(ZYGOTE)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(filter-out -Wl$(comma)--no-undefined,$(PIC_LINK)) -o $@ $^ -ldl
$(G)/python/glovebox-python.so: $(call pic_objects,guest/python/*.c) $(ZYGOTE)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(PIC_LINK) -o $@ $^ -ldl
$(G)/node/glovebox-cold $(G)/python/glovebox-cold: $(PIC)/src/zygote/cold.o $(ZYGOTE)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) -static-pie -o $@ $^

# The glue, file by file, beside its library.
NODE_GLUE   := $(patsubst guest/node/%,$(G)/node/%,$(wildcard guest/node/*.cjs guest/node/*.mjs))
PYTHON_GLUE := $(patsubst guest/python/%,$(G)/python/%,$(wildcard guest/python/*.py))
$(NODE_GLUE) $(PYTHON_GLUE): $(G)/%: guest/%
	@mkdir -p $(@D) && cp $< $@
$(G)/node/acorn.js: node_modules/acorn/dist/acorn.js
	@mkdir -p $(@D) && cp $< $@
$(G)/node/types.cjs: $(wildcard guest/js/ts/*.js) package-lock.json
	@mkdir -p $(@D)
	$(call say,BUNDLE,$@)node_modules/.bin/esbuild guest/js/ts/main.js --bundle --format=cjs --minify \
	    --platform=node --legal-comments=none --log-level=warning --outfile=$@
# The js engine's codec, with what Node.js has in the place of what it imports.
NODE_VALUES := $(wildcard guest/node/values/*.js) guest/js/codec.js guest/js/decode.js
$(G)/node/values.cjs: $(NODE_VALUES) package-lock.json
	@rm -rf $(OUT)/values && mkdir -p $(@D) $(OUT)/values && cp $(NODE_VALUES) $(OUT)/values
	$(call say,BUNDLE,$@)node_modules/.bin/esbuild $(OUT)/values/main.js --bundle --format=cjs \
	    --platform=node --charset=utf8 --banner:js='"use strict";' --log-level=warning \
	    --log-override:import-is-undefined=error --outfile=$@

# The Node.js that is used unless another is named.
$(OUT)/node: $(wildcard node_modules/node-linux-*/bin/node)
	@if [ -n '$<' ]; then ln -sfn '$(CURDIR)/$<' $@; fi

guests: $(G)/node/glovebox-node.so $(G)/python/glovebox-python.so $(OUT)/node \
        $(G)/node/glovebox-cold $(G)/python/glovebox-cold \
        $(NODE_GLUE) $(PYTHON_GLUE) $(G)/node/acorn.js $(G)/node/types.cjs $(G)/node/values.cjs
.PHONY: guests
