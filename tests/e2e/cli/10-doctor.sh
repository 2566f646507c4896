#!/bin/sh
# SPDX-License-Identifier: MIT
# doctor and version say what is there.
. "$(dirname "$0")/../tap.sh"

# A sanitizer build has no seccomp of its own to claim, and says it is not well.
well=true
[ -z "${GB_SANITIZED:-}" ] || well=false

run glovebox doctor
is "$code" "$([ $well = true ] && echo 0 || echo 1)" "this host can run js"
has "$out" "seccomp" "walls are listed"
has "$out" "1 + 1 took" "and a run was tried"
run glovebox doctor --json
is "$(printf %s "$out" | json '[j.ok, j.trial.ok, j.walls.length]')" "[$well,true,15]" "--json"
is "$(printf %s "$out" | json 'j.engines.length')" 2 "node and python are told"
run env PATH=/nonexistent "$GLOVEBOX" doctor --json
is "$(printf %s "$out" | json '[j.ok, j.engines[1].ok, j.engines[1].problem.slice(0, 23)]')" \
    "[$well,false,\"there is no Python here\"]" "without python it is still well, and says how to get one"
run env PATH=/nonexistent "$GLOVEBOX" doctor
has "$out" "missing  there is no Python here: install python3" "... in words too"
has "$out" "python programs do not run here; see above." "... and in the end"
GLOVEBOX_LIBEXEC=/nonexistent run glovebox doctor
is "$code" 1 "without a worker it is not well"
has "$out" "glovebox-worker" "and says what is missing"

run glovebox version
is "$code" 0 "version"
has "$out" "glovebox 0." "our version"
has "$out" "quickjs" "the engine's"
run glovebox version --json
is "$(printf %s "$out" | json 'j.wire_version')" 2 "--json"
run glovebox --version
has "$out" "glovebox 0." "--version"
done_testing
