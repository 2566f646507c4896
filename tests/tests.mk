# tests/tests.mk -- the test layers; each speaks TAP and is run by prove.
# SPDX-License-Identifier: MIT

T      := $(OUT)/tests
PROVE  := prove -j2 --merge --timer
# Tests of what lives inside the worker link the engine; the others do not.
WORKER_UNIT := form join image moment meter sfi fetch
UNIT_NAMES  := $(patsubst tests/unit/test_%.c,%,$(wildcard tests/unit/test_*.c))
UNIT        := $(UNIT_NAMES:%=$(T)/unit_%)
# What prints the same as Node.js is compared with one pinned version of it.
NODE     := $(or $(firstword $(wildcard $(CURDIR)/node_modules/node-linux-*/bin/node)),node)
# Commands that take the product's place in tests find it here.
TEST_ENV := GLOVEBOX=$(CURDIR)/$(OUT)/glovebox GB_OUT=$(CURDIR)/$(OUT) \
            NODE=$(NODE) TZ=UTC
ifeq ($(SAN),)
  # In CI nothing may be skipped, but by a build that cannot have a thing.
  TEST_ENV += $(if $(CI),GB_MUST_WORK=1)
else
  # The engine's own faults are signals we handle; a worker has no environment.
  TEST_ENV += ASAN_OPTIONS=allow_user_segv_handler=1:detect_leaks=0 GB_SANITIZED=1
endif

HOST_OBJECTS := $(filter-out $(OUT)/cli/main.o,$(CLI)) $(ENV) $(JAIL) $(WIRE) $(BASE) $(POLICY)
ZYGOTE_LIB   := $(filter-out %/cold.o,$(call objects,zygote))

define TEST_WITH
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(COMPILE) -MF $@.d $(1) $(LINK) -o $@ $< $(2)
endef

$(T)/unit_%: tests/unit/test_%.c tests/test.h $(HOST_OBJECTS)
	$(call TEST_WITH,,$(HOST_OBJECTS) -ldl)
$(WORKER_UNIT:%=$(T)/unit_%): $(T)/unit_%: tests/unit/test_%.c tests/test.h $(WORKER_LIB)
	$(call TEST_WITH,$(ENGINE_USE),$(WORKER_LIB) -lm)

# What runs in a zygote, driven by a supervisor that is part of the test.
$(T)/unit_zygote: tests/unit/test_zygote.c tests/unit/zygote_programs.h tests/unit/zygote_supervisor.h \
    tests/test.h $(ZYGOTE_LIB) $(JAIL) $(WIRE) $(BASE) $(OUT)/guest/python/glovebox-cold
	$(call TEST_WITH,,$(ZYGOTE_LIB) $(JAIL) $(WIRE) $(BASE) -ldl)

# The rules of egress, and its process against servers of the test's own.
EGRESS_TEST = $(T)/relay_escape $(T)/egress_turncoat
$(T)/unit_policy: tests/unit/test_policy.c tests/test.h $(HOST_OBJECTS) $(OUT)/egress/url.o $(OUT)/egress/dns.o
	$(call TEST_WITH,,$(HOST_OBJECTS) $(OUT)/egress/url.o $(OUT)/egress/dns.o -ldl)
$(T)/unit_egress: tests/unit/test_egress.c tests/test.h tests/escape/egress/world.h $(HOST_OBJECTS)
	$(call TEST_WITH,,$(HOST_OBJECTS) -ldl -lz)
$(T)/relay_escape: tests/escape/egress/relay_escape.c tests/escape/egress/world.h tests/test.h $(HOST_OBJECTS)
	$(call TEST_WITH,,$(HOST_OBJECTS) -ldl)
$(T)/egress_turncoat: tests/escape/egress/turncoat.c tests/escape/egress/world.h tests/test.h $(HOST_OBJECTS)
	$(call TEST_WITH,,$(HOST_OBJECTS) -ldl)

# What runs inside a jail in the worker's place; the tests look beside themselves.
$(T)/probe: tests/escape/probe.c tests/escape/inmate.h src/worker/seal.c $(OUT)/jail/seccomp.o $(OUT)/base/err.o
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(COMPILE) -MF $@.d $(WORKER_LINK) -o $@ $< src/worker/seal.c \
	    $(OUT)/jail/seccomp.o $(OUT)/base/err.o
$(T)/jail_escape: tests/escape/jail_escape.c tests/escape/inmate.h tests/test.h $(JAIL) $(BASE)
	$(call TEST_WITH,,$(JAIL) $(BASE))

check-unit: product $(UNIT) $(T)/probe   ## the promises of each module's header
	@$(TEST_ENV) $(PROVE) -e '' $(UNIT)

# A worker that was taken over; started in place of the real one.
$(T)/turncoat: tests/escape/js/turncoat.c $(wildcard src/base/*.c src/wire/*.c) src/jail/seccomp.c
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(CC) -std=c17 $(CPPFLAGS) $(WARN) -O1 -static -o $@ $^

# A jail that others build at the same time would be counted as left behind.
GUEST_ESCAPE := $(if $(SAN),,$(addprefix tests/escape/guest/,run.py leaks.py refusal.py stress.py))
check-escape: product $(T)/probe $(T)/jail_escape $(T)/turncoat $(EGRESS_TEST) $(OUT)/glovebox-testing   ## every wall, with a control that shows it is the wall
	@$(TEST_ENV) $(PROVE) -e '' $(T)/jail_escape $(EGRESS_TEST) tests/escape/js/turncoat.py tests/escape/segment.sh
	@$(TEST_ENV) $(PROVE) -j1 -e '' tests/escape/js/run.py tests/escape/js/leaks.py \
	    $(GUEST_ESCAPE)

# ---- faults: the Nth system call, the Nth allocation ------------------------
$(T)/nomem.so: tests/fault/nomem.c
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(CC) -std=c17 $(WARN) -O1 -shared -fPIC -o $@ $<

check-fault: product $(T)/nomem.so   ## whatever fails, no run goes on with a wall missing
	@$(TEST_ENV) $(PROVE) -j1 -e '' tests/fault/syscalls.py tests/fault/nomem.py tests/fault/guests.py

# ---- the product as installed -----------------------------------------------
check-e2e: product   ## the command line, as a person uses it
	@$(TEST_ENV) $(PROVE) tests/e2e/cli/*.sh

# ---- fuzzing: make fuzz [FUZZ_SECONDS=60] [FUZZ=json] ------------------------
FUZZ_SECONDS ?= 60
FUZZ   ?= frame json json_read num calls policy dns imports
F      := build/fuzz
SANITIZE := -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
            -fno-omit-frame-pointer
# Faults in linear memory are the worker's own to handle. With an RSS thread,
# libFuzzer would take the meter's alarms.
FUZZ_imports := -rss_limit_mb=0 -timeout=0 -handle_segv=0 -handle_bus=0 -handle_fpe=0 -max_len=4096
FUZZ_ENV := GB_OUT=$(OUT) ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:allow_user_segv_handler=1:detect_leaks=0

$(F)/fuzz_%: tests/fuzz/fuzz_%.c $(wildcard src/base/*.c src/wire/*.c)
	@mkdir -p $(@D)
	$(call say,FUZZER,$<)clang -std=c17 $(CPPFLAGS) $(SANITIZE) -o $@ $^
$(F)/fuzz_calls: src/jail/calls.c src/jail/calls_table.c
$(F)/fuzz_policy $(F)/fuzz_dns: $(addprefix src/egress/,policy.c judge.c address.c url.c dns.c)
$(F)/fuzz_imports: tests/fuzz/fuzz_imports.c $(wildcard src/worker/*.c src/base/*.c src/wire/*.c) $(ENGINE_OBJECTS) build/engine/link.c
	@mkdir -p $(@D)
	$(call say,FUZZER,$<)clang -std=c17 $(CPPFLAGS) $(ENGINE_USE) $(SANITIZE) -DGB_SANITIZED \
	    -D_Noreturn= -w -fPIE -pie -o $@ $(filter-out src/worker/main.c src/worker/seal.c,$^) -lm
$(F)/seeds: tests/fuzz/seeds.c $(wildcard src/base/*.c src/wire/*.c)
	@mkdir -p $(@D)
	@$(CC) -std=c17 $(CPPFLAGS) -o $@.bin $^ && $@.bin $@.new && rm -rf $@ && mv $@.new $@
	@tests/escape/js/run.py --seeds $@/imports

fuzz: product $(FUZZ:%=$(F)/fuzz_%) $(F)/seeds   ## hostile bytes for every trusted parser: FUZZ_SECONDS each
	@set -e; for t in $(FUZZ); do mkdir -p $(F)/corpus/$$t; \
	    case $$t in imports) more='$(FUZZ_imports)';; *) more=;; esac; \
	    printf '  FUZZ     %s for $(FUZZ_SECONDS) s\n' $$t; \
	    $(FUZZ_ENV) $(F)/fuzz_$$t -max_total_time=$(FUZZ_SECONDS) -detect_leaks=0 -print_final_stats=1 \
	        $$more $(F)/corpus/$$t $(F)/seeds/$$t > $(F)/$$t.log 2>&1 || { tail -30 $(F)/$$t.log; exit 1; }; \
	    grep -h 'number_of_executed' $(F)/$$t.log; done

# ---- the words: layers, style, documents ----------------------------------
lint:   ## the include graph, the house style, and names in the documents
	@tools/check-layers && tools/check-style && tools/check-docs && echo 'lint: ok'

# ---- all of it --------------------------------------------------------------
check: all   ## the tests of a minute: unit and conformance
	@$(MAKE) --no-print-directory check-unit check-conform

# What CI runs. Every layer on the build that is installed; then both other
# builds of the same sources, which find what it cannot.
test: all   ## set up, build, and run all tests (minutes)
	@$(MAKE) --no-print-directory lint check-unit check-conform check-escape check-fault check-e2e
	@echo '--- with clang'
	@$(MAKE) --no-print-directory CC=clang product check-unit
	@echo '--- with AddressSanitizer and UndefinedBehaviorSanitizer'
	@$(MAKE) --no-print-directory SAN=address,undefined product check-unit check-conform check-escape check-e2e
	@echo '--- fuzzing, shortly'
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=10

# ---- conformance --------------------------------------------------------
CONFORM_262 := $(addprefix tests/conform/,test262.c test262_case.c test262_host.c)
WRAP_262 = $(shell sed -n 's/^\#define ENV_host_\(call\|module_load\) /-Wl,--wrap=/p' $(B)/dialect.h)

$(T)/parse: tests/conform/parse.c tests/conform/known.h bench/inproc.h $(WORKER_LIB)
	$(call TEST_WITH,$(ENGINE_USE),$(WORKER_LIB) -lm)
$(T)/%.o: tests/conform/%.c tests/conform/test262.h tests/conform/known.h bench/inproc.h | build/engine/engine.h.stamp
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(COMPILE) -MF $@.d $(ENGINE_USE) -c $< -o $@
$(T)/test262: $(CONFORM_262:tests/conform/%.c=$(T)/%.o) $(WORKER_LIB)
	@$(CC) $(LINK) $(WRAP_262) -o $@ $^ -lm

check-conform: product $(T)/parse $(T)/test262   ## the language and the web APIs, against node and test262
	@$(TEST_ENV) $(PROVE) -e '' tests/conform/compare.py tests/conform/behaviours.py \
	    tests/conform/guests.py tests/conform/packages.py
	@$(TEST_ENV) $(PROVE) -e '' $(T)/parse :: $(OUT)/base.image \
	    node_modules/test262-parser-tests tests/conform/parse-known.txt
	@$(TEST_ENV) $(PROVE) -e '' tests/conform/test262_mini.py :: $(T)/test262 $(OUT)/base.image

# make test262 TEST262=DIR [AREA=language] [JOBS=2] [WRITE=FILE] [ONLY=SUBSTRING]
JOBS ?= 2
test262: product $(T)/test262   ## run a checkout of test262: TEST262=DIR
	@test -d '$(TEST262)/test' || { echo 'make test262 TEST262=DIR: DIR is a checkout of test262'; exit 2; }
	@tools/test262/index.py '$(TEST262)' $(AREA) > $(T)/test262.tsv
	@$(T)/test262 --image $(OUT)/base.image --root '$(TEST262)' --index $(T)/test262.tsv \
	    --known tests/conform/test262-known.txt --results $(T)/test262.results \
	    --jobs $(JOBS) $(if $(WRITE),--write-known '$(WRITE)') $(ONLY)
	@echo '# every run: $(T)/test262.results'

.PHONY: check check-unit check-conform check-escape check-fault check-e2e fuzz lint test test262
