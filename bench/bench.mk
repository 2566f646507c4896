# bench/bench.mk -- `make bench`: what README.md in this folder explains.
# SPDX-License-Identifier: MIT

BENCH      := build/bench
BENCH_BINS := $(patsubst bench/%.c,$(BENCH)/%,$(wildcard bench/*.c))
FIGURES    := $(BENCH)/figures
BENCH_ENV  := GB_BENCH_FIGURES=$(FIGURES) GB_BENCH_OUT=$(BENCH) \
              GB_BENCH_IMAGE=$(OUT)/base.image GB_BENCH_GLOVEBOX=$(OUT)/glovebox

$(BENCH)/%: bench/%.c $(WORKER_LIB) | build/engine/engine.h.stamp
	@mkdir -p $(@D)
	$(call say,CC,$<)$(COMPILE) $(ENGINE_USE) -MF $@.d $< $(WORKER_LIB) $(LINK) -o $@ -lm

# Runs of node and python go through what the CLI is made of, with clocks of ours
# around the functions that mark its steps.
GUEST_STEPS := zygote_ask child_report child_sealed child_run result_take_guest
GUEST_PARTS := $(filter-out $(OUT)/cli/main.o,$(CLI)) $(ENV) $(JAIL) $(WIRE) $(BASE) $(POLICY)
$(BENCH)/guests: bench/guests.c $(GUEST_PARTS)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(COMPILE) -MF $@.d $< $(GUEST_PARTS) $(LINK) $(GUEST_STEPS:%=-Wl,--wrap=%) -o $@ -ldl

# isolated-vm is compiled where there is no binary of it; without it the others
# are still compared.
bench/node_modules/.installed-lock: bench/package-lock.json
	$(call say,NPM,bench: the peers)cd bench && { npm ci --no-audit --no-fund --loglevel=error || \
	    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error; }
	@cp bench/package-lock.json $@

$(BENCH)/lodash.image: $(BENCH)/preload $(OUT)/base.image bench/node_modules/.installed-lock
	$(call say,IMAGE,$@)$(BENCH)/preload $(OUT)/base.image bench/node_modules/lodash/lodash.js $@

bench: all   ## measure, against other sandboxes too (minutes)
	@$(MAKE) --no-print-directory run-bench
# One part of it, and only that: make bench-guests [GUEST_BENCH='latency memory']
bench-guests: all $(BENCH)/guests   ## only the runs of node and python (minutes)
	@rm -f $(FIGURES)
	@$(BENCH_ENV) bench/guests.py $(BENCH)/guests $(OUT)/glovebox $(GUEST_BENCH)
	@bench/report.py $(FIGURES) $(BENCH)/results-guests.json
run-bench: $(BENCH_BINS) $(BENCH)/lodash.image
	@rm -f $(FIGURES)
	@$(BENCH_ENV) $(BENCH)/latency $(OUT)/base.image bench/unseen.js \
	    lodash=$(BENCH)/lodash.image ts=$(OUT)/ts.image; echo
	@$(BENCH_ENV) bench/cli.py $(OUT)/glovebox; echo
	@$(BENCH_ENV) $(BENCH)/memory $(OUT)/base.image; echo
	@$(BENCH_ENV) $(BENCH)/lateness $(OUT)/base.image; echo
	@$(BENCH_ENV) node bench/peers.mjs; echo
	@$(BENCH_ENV) node bench/compute.mjs; echo
	@$(BENCH_ENV) bench/guests.py $(BENCH)/guests $(OUT)/glovebox
	@bench/report.py $(FIGURES) $(BENCH)/results.json

.PHONY: bench bench-guests run-bench
-include $(BENCH_BINS:=.d)
