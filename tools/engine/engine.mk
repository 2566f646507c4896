# tools/engine/engine.mk -- how the engine is made from the npm package.
# SPDX-License-Identifier: MIT
#
# wasm2c translates quickjs.wasm and its extensions; rewrite.py makes the fast
# variant; it is compiled twice, the second time with a profile of train.js.
# All of it lands in build/engine and is shared by every build of the product.

QJS     := node_modules/quickjs-wasi
EXTENSIONS := url encoding headers crypto structured_clone
EXTENSION_FILES := $(foreach x,url encoding headers crypto structured-clone,\
                     $(QJS)/extensions/$(x)/$(x).so)
RT      := $(dir $(firstword $(wildcard /usr/src/wasm2c/wasm-rt.h /usr/include/wasm-rt.h)))
B       := build/engine

# ENGINE is "fast", or "plain" and why. The answer is a makefile: make finds it
# out first, which writes the rewritten sources too, and then starts again.
ENGINE_CC ?= gcc
ifneq ($(filter-out clean help,$(or $(MAKECMDGOALS),all)),)
  include $(B)/flavour.mk
endif
$(B)/flavour.mk: $(foreach m,qjs $(EXTENSIONS),$(B)/$(m).c) \
                 tools/engine/flavour.sh tools/engine/rewrite.py
	$(call say,REWRITE,$(B)/fast)tools/engine/flavour.sh $(ENGINE_CC) $(B) \
	    $(QJS)/quickjs.wasm qjs $(EXTENSIONS) > $@
FLAVOUR := $(firstword $(ENGINE))
WHY     := $(wordlist 2,99,$(ENGINE))

# gcc forgets %gs when it makes a memcpy or vector code of a loop: without these
# a guest address becomes a host address (see check_object.sh and sfi.c).
KEEP_SEGMENT := -fno-tree-loop-distribute-patterns -fno-tree-vectorize
# gcc undoes the computed gotos unless told not to merge what is alike.
KEEP_GOTOS := -fno-gcse -fno-crossjumping -fno-tree-pre -fno-code-hoisting \
              --param max-goto-duplication-insns=100
ENGINE_CFLAGS := -w -fPIE -I$(RT) -I$(B) -ffp-contract=off -fno-strict-aliasing
ENGINE_USE := -I$(B) -isystem $(RT)
ifeq ($(FLAVOUR),fast)
  ENGINE_USE += -DENGINE_FAST -mfsgsbase
  ENGINE_CFLAGS += -O3 $(KEEP_GOTOS) $(KEEP_SEGMENT) -mfsgsbase
else
  ENGINE_USE += -DENGINE_PLAIN_WHY='"$(if $(WHY),$(WHY),asked for)"'
  ENGINE_CFLAGS += -O2
endif
ENGINE_DIR := $(B)/$(FLAVOUR)
ENGINE_OBJECTS := $(patsubst %,$(ENGINE_DIR)/%.o,qjs $(EXTENSIONS))
# The flags are part of the walls, and the worker must know its engine.
$(ENGINE_OBJECTS): tools/engine/engine.mk
$(OUT)/worker/sfi.o: $(OUT)/flavour
$(OUT)/flavour: FORCE
	@mkdir -p $(@D)
	@echo '$(ENGINE)' | cmp -s - $@ || echo '$(ENGINE)' > $@
.PHONY: FORCE

$(B)/qjs.c: $(QJS)/quickjs.wasm
	@mkdir -p $(B)
	$(call say,WASM2C,$@)wasm2c -n qjs $< -o $@

extension_file = $(QJS)/extensions/$(subst _,-,$(1))/$(subst _,-,$(1)).so
define EXTENSION
$(B)/$(1).c: $(call extension_file,$(1)) tools/engine/join_segments.py
	@mkdir -p $(B)
	@tools/engine/join_segments.py $$< $(B)/$(1).wasm
	$$(call say,WASM2C,$$@)wasm2c -n $(1) $(B)/$(1).wasm -o $$@
endef
$(foreach x,$(EXTENSIONS),$(eval $(call EXTENSION,$(x))))

$(QJS)/quickjs.wasm $(EXTENSION_FILES): build/.setup ;

$(B)/engine.h.stamp: $(B)/dialect.h $(EXTENSIONS:%=$(B)/%.c) $(B)/engine_id.h
	@touch $@

# What an image depends on: the modules, their order, and the translator.
$(B)/engine_id.h: $(QJS)/quickjs.wasm $(EXTENSION_FILES) src/wire/image.h
	@mkdir -p $(B)
	@{ printf '#define ENGINE_ID "'; \
	   { cat $(QJS)/quickjs.wasm $(EXTENSION_FILES) src/wire/image.h; wasm2c --version; } | \
	     sha256sum | cut -c1-40 | tr -d '\n'; printf '"\n'; \
	   printf '#define ENGINE_VERSION "%s"\n' \
	     "$$(strings -n 5 $(QJS)/quickjs.wasm | grep -xE '0\.[0-9]+\.[0-9]+' | head -1)"; } > $@

$(B)/dialect.h: tools/engine/dialect.py $(B)/qjs.c
	$(call say,DIALECT,$@)tools/engine/dialect.py $(B)/qjs.h $(RT)wasm-rt.h $@

$(B)/link.c: tools/engine/link.py $(B)/dialect.h $(EXTENSIONS:%=$(B)/%.c)
	$(call say,LINK,$@)tools/engine/link.py $(B) $@ $(EXTENSION_FILES)

# ---- plain: as translated ------------------------------------------------
$(B)/plain/%.o: $(B)/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(ENGINE_CC) $(ENGINE_CFLAGS) -c $< -o $@
	@tools/engine/mark_text.sh $@

# ---- fast: rewritten, and the interpreter compiled with a profile --------
$(B)/fast/%.c: $(B)/%.c ;
$(B)/fast/%.o: $(B)/fast/%.c tools/engine/engine.mk
	$(call say,CC,$<)$(ENGINE_CC) $(ENGINE_CFLAGS) -c $< -o $@
	@tools/engine/check_object.sh $@
	@tools/engine/mark_text.sh $@

# The profile is of programs like train.js, which no benchmark contains. The
# object must have the same name both times, or gcc silently finds no profile.
PROFILE := $(B)/profile
$(PROFILE)/qjs.gcda: $(B)/fast/qjs.c $(filter-out %/qjs.o,$(ENGINE_OBJECTS)) \
                     tools/engine/train.c tools/engine/train.js $(B)/link.c \
                     tools/engine/engine.mk \
                     $(B)/engine_id.h | build/guest/runtime.js
	@mkdir -p $(PROFILE) && rm -f $(PROFILE)/*.gcda
	$(call say,CC,$< (to be profiled: half a minute))$(ENGINE_CC) $(ENGINE_CFLAGS) -fprofile-generate -fprofile-update=single \
	    -c $< -o $(PROFILE)/qjs.o
	$(call say,LINK,$(PROFILE)/train)$(ENGINE_CC) -w -O1 -D_GNU_SOURCE -Isrc -I. $(ENGINE_USE) -fprofile-generate \
	    -o $(PROFILE)/train tools/engine/train.c \
	    $(filter-out src/worker/main.c src/worker/seal.c,$(wildcard src/worker/*.c)) \
	    $(wildcard src/base/*.c src/wire/*.c) $(B)/link.c $(PROFILE)/qjs.o \
	    $(filter-out %/qjs.o,$(ENGINE_OBJECTS)) -lm
	$(call say,PROFILE,tools/engine/train.js)$(PROFILE)/train build/guest/runtime.js tools/engine/train.js
	@test -s $@ || { echo "no profile was written"; exit 1; }

$(B)/fast/qjs.o: $(PROFILE)/qjs.gcda
	$(call say,CC,$(B)/fast/qjs.c (with its profile: half a minute))$(ENGINE_CC) $(ENGINE_CFLAGS) -fprofile-use -c $(B)/fast/qjs.c -o $(PROFILE)/qjs.o
	@tools/engine/check_object.sh $(PROFILE)/qjs.o
	@tools/engine/mark_text.sh $(PROFILE)/qjs.o
	@mv $(PROFILE)/qjs.o $@

# Made by flavour.sh, not by a rule that make could repeat.
.PRECIOUS: $(B)/fast/%.c
