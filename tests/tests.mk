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

$(T)/unit_%: tests/unit/test_%.c tests/test.h $(HOST_OBJECTS)
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(COMPILE) -MF $@.d $(LINK) -o $@ $< $(HOST_OBJECTS) -ldl
$(WORKER_UNIT:%=$(T)/unit_%): $(T)/unit_%: tests/unit/test_%.c tests/test.h $(WORKER_LIB)
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(COMPILE) -MF $@.d $(ENGINE_USE) $(LINK) -o $@ $< $(WORKER_LIB) -lm
