# tests/tests.mk -- the test layers; each speaks TAP and is run by prove.
# SPDX-License-Identifier: MIT

T      := $(OUT)/tests
PROVE  := prove -j2 --merge --timer
# Tests of what lives inside the worker link the engine; the others do not.
WORKER_UNIT := form join image moment meter sfi
UNIT_NAMES  := $(patsubst tests/unit/test_%.c,%,$(wildcard tests/unit/test_*.c))
UNIT        := $(UNIT_NAMES:%=$(T)/unit_%)
# Commands that take the product's place in tests find it here.
TEST_ENV := GLOVEBOX=$(CURDIR)/$(OUT)/glovebox GB_OUT=$(CURDIR)/$(OUT) \
            TZ=UTC $(if $(CI),GB_MUST_WORK=1)
ifneq ($(SAN),)
  # The engine's own faults are signals we handle; a worker has no environment.
  TEST_ENV += ASAN_OPTIONS=allow_user_segv_handler=1:detect_leaks=0 GB_SANITIZED=1
endif

HOST_OBJECTS := $(filter-out $(OUT)/cli/main.o,$(CLI)) $(ENV) $(JAIL) $(WIRE) $(BASE)

define TEST_WITH
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(COMPILE) -MF $@.d $(1) $(LINK) -o $@ $< $(2)
endef

$(T)/unit_%: tests/unit/test_%.c tests/test.h $(HOST_OBJECTS)
	$(call TEST_WITH,,$(HOST_OBJECTS) -ldl)
$(WORKER_UNIT:%=$(T)/unit_%): $(T)/unit_%: tests/unit/test_%.c tests/test.h $(WORKER_LIB)
	$(call TEST_WITH,$(ENGINE_USE),$(WORKER_LIB) -lm)

# What runs inside a jail in the worker's place; the tests look beside themselves.
$(T)/probe: tests/escape/probe.c tests/escape/inmate.h src/worker/seal.c $(OUT)/jail/seccomp.o $(OUT)/base/err.o
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(COMPILE) -MF $@.d $(WORKER_LINK) -o $@ $< src/worker/seal.c \
	    $(OUT)/jail/seccomp.o $(OUT)/base/err.o
$(T)/jail_escape: tests/escape/jail_escape.c tests/escape/inmate.h tests/test.h $(JAIL) $(BASE)
	$(call TEST_WITH,,$(JAIL) $(BASE))

check-unit: product $(UNIT) $(T)/probe   ## the promises of each module's header
	@$(TEST_ENV) $(PROVE) -e '' $(UNIT)

check-escape: product $(T)/probe $(T)/jail_escape   ## every wall, with a control that shows it is the wall
	@$(TEST_ENV) $(PROVE) -e '' $(T)/jail_escape

# ---- conformance --------------------------------------------------------
CONFORM_262 := $(addprefix tests/conform/,test262.c test262_case.c test262_host.c)
WRAP_262 := -Wl,--wrap=Z_envZ_host_call,--wrap=Z_envZ_host_module_load

$(T)/parse: tests/conform/parse.c tests/conform/known.h bench/inproc.h $(WORKER_LIB)
	$(call TEST_WITH,$(ENGINE_USE),$(WORKER_LIB) -lm)
$(T)/%.o: tests/conform/%.c tests/conform/test262.h tests/conform/known.h bench/inproc.h | build/engine/engine.h.stamp
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(COMPILE) -MF $@.d $(ENGINE_USE) -c $< -o $@
$(T)/test262: $(CONFORM_262:tests/conform/%.c=$(T)/%.o) $(WORKER_LIB)
	@$(CC) $(LINK) $(WRAP_262) -o $@ $^ -lm

check-conform: product $(T)/parse $(T)/test262   ## the language and the web APIs, against node and test262
	@$(TEST_ENV) $(PROVE) -e '' tests/conform/compare.py tests/conform/behaviours.py
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

.PHONY: check-unit check-escape check-conform test262
