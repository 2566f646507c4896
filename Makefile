# glovebox -- build, run and test. `make help` lists the targets.
# SPDX-License-Identifier: MIT

ifeq ($(origin CC),default)
  CC   := gcc
endif
MODE   ?= $(if $(SAN),san,$(if $(findstring clang,$(CC)),clang,release))
OUT    := build/$(MODE)
VERSION := 0.1.0

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
        -Wswitch-enum -Wformat=2 -Wwrite-strings -Wpointer-arith -Wundef \
        -Wno-missing-field-initializers -Werror
HARDEN := -fstack-protector-strong -fno-strict-aliasing -fPIE
ifeq ($(SAN),)
  HARDEN += -O2 -D_FORTIFY_SOURCE=3
  ifneq ($(findstring gcc,$(CC)),)
    HARDEN += -fstack-clash-protection -ftrivial-auto-var-init=zero
  endif
  WORKER_LINK := -static-pie
  LINK   := -pie -Wl,-z,relro,-z,now,-z,noexecstack
else
  HARDEN += -O1 -g -fsanitize=$(SAN) -fno-sanitize-recover=all \
            -fno-omit-frame-pointer -DGB_SANITIZED
  LINK   := -pie -fsanitize=$(SAN)
  WORKER_LINK := $(LINK)
endif
CFLAGS  ?= -g
CPPFLAGS := -D_GNU_SOURCE -Isrc -I. -DGB_VERSION='"$(VERSION)"'
COMPILE = $(CC) -std=c17 $(CPPFLAGS) $(WARN) $(HARDEN) $(CFLAGS) -MMD -MP

# One line a step; V=1 shows the commands.
say = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(2)';)

all: product

# ---- set-up -------------------------------------------------------------
build/.setup: tools/setup.sh package-lock.json
	@tools/setup.sh
	@mkdir -p build && touch $@

# ---- the engine: wasm to C, rewritten, profiled (see docs/engine.md) ------
include tools/engine/engine.mk

# ---- the product --------------------------------------------------------
objects = $(patsubst src/%.c,$(OUT)/%.o,$(wildcard src/$(1)/*.c))
BASE   := $(call objects,base)
WIRE   := $(call objects,wire)
JAIL   := $(call objects,jail)
ENV    := $(call objects,env)
CLI    := $(call objects,cli)
EGRESS := $(call objects,egress)
WORKER := $(call objects,worker)
WORKER_LIB := $(filter-out $(OUT)/worker/main.o,$(WORKER)) $(BASE) $(WIRE) \
              $(OUT)/jail/seccomp.o $(OUT)/engine/link.o $(ENGINE_OBJECTS)

POLICY := $(OUT)/egress/policy.o $(OUT)/egress/address.o $(OUT)/egress/judge.o

product: $(OUT)/glovebox $(OUT)/glovebox-worker $(OUT)/base.image $(OUT)/ts.image \
         $(OUT)/glovebox-egress guests

$(OUT)/glovebox: $(CLI) $(ENV) $(JAIL) $(WIRE) $(BASE) $(POLICY)
	$(call say,LINK,$@)$(CC) $(LINK) -o $@ $^ -ldl

# The same program with switches that tests need: it can leave a wall out.
$(OUT)/glovebox-testing: $(filter-out $(OUT)/cli/run_options.o,$(CLI)) \
    $(OUT)/testing/cli/run_options.o $(ENV) $(JAIL) $(WIRE) $(BASE) $(POLICY)
	$(call say,LINK,$@)$(CC) $(LINK) -o $@ $^ -ldl
$(OUT)/testing/%.o: src/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(COMPILE) -DGB_TESTING -c $< -o $@

$(OUT)/glovebox-egress: $(EGRESS) $(WIRE) $(BASE) $(OUT)/jail/seal.o
	$(call say,LINK,$@)$(CC) $(LINK) -o $@ $^ -lcurl -lz

$(OUT)/glovebox-worker: $(OUT)/worker/main.o $(WORKER_LIB)
	$(call say,LINK,$@)$(CC) $(WORKER_LINK) -o $@ $^ -lm

$(OUT)/base.image: $(OUT)/glovebox-worker build/guest/runtime.js
	$(call say,IMAGE,$@)$(OUT)/glovebox-worker --make-image=$@ build/guest/runtime.js

$(OUT)/ts.image: $(OUT)/glovebox-worker build/guest/runtime.js build/guest/types.js
	$(call say,IMAGE,$@)$(OUT)/glovebox-worker --make-image=$@ build/guest/runtime.js build/guest/types.js

build/guest/runtime.js: $(wildcard guest/js/*.js) guest/js/build.sh package-lock.json
	@mkdir -p $(@D)
	$(call say,BUNDLE,$@)guest/js/build.sh $@

build/guest/types.js: $(wildcard guest/js/ts/*.js) guest/js/build.sh package-lock.json
	@mkdir -p $(@D)
	$(call say,BUNDLE,$@)guest/js/build.sh --ts $@

$(OUT)/%.o: src/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(COMPILE) -c $< -o $@
$(OUT)/worker/%.o: src/worker/%.c | build/engine/engine.h.stamp
	@mkdir -p $(@D)
	$(call say,CC,$<)$(COMPILE) $(ENGINE_USE) -c $< -o $@
$(OUT)/engine/link.o: build/engine/link.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(COMPILE) $(ENGINE_USE) -Wno-missing-prototypes -c $< -o $@

include guest/guest.mk

# ---- run ----------------------------------------------------------------
run: all   ## set up, build, and run an example agent program in a fresh cell
	@echo '$$ glovebox run examples/agent.js --input @examples/orders.json'
	@$(OUT)/glovebox run examples/agent.js --input @examples/orders.json
	@echo; echo '$$ glovebox run examples/agent.js --input @examples/orders.json --json --pretty'
	@$(OUT)/glovebox run examples/agent.js --input @examples/orders.json --json --pretty

include tests/tests.mk
include bench/bench.mk

PREFIX ?= /usr/local
install: all   ## install into PREFIX (default /usr/local)
	install -D -m 755 $(OUT)/glovebox $(DESTDIR)$(PREFIX)/bin/glovebox
	install -D -m 755 $(OUT)/glovebox-worker $(DESTDIR)$(PREFIX)/lib/glovebox/glovebox-worker
	install -D -m 755 $(OUT)/glovebox-egress $(DESTDIR)$(PREFIX)/lib/glovebox/glovebox-egress
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/glovebox $(OUT)/base.image $(OUT)/ts.image
	for e in node python; do \
	    install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/glovebox/guest/$$e $(OUT)/guest/$$e/*; \
	    chmod 755 $(DESTDIR)$(PREFIX)/lib/glovebox/guest/$$e/glovebox-cold; done

clean:   ## remove everything that was built
	rm -rf build

help:   ## list these targets
	@echo 'make               set up and build into $(OUT)'
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/make \1|\2/p' $(MAKEFILE_LIST) | \
	    awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'
	@echo 'Variables: CC=clang, SAN=address,undefined, ENGINE=plain, PREFIX=...'

.PHONY: all product run install clean help
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
-include $(shell find $(OUT) -name '*.d' 2>/dev/null)
