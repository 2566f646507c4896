#!/bin/sh
# SPDX-License-Identifier: MIT
# The one result shape: every key, always.
. "$(dirname "$0")/../tap.sh"

keys='calls,denials,engine,environment,error,exit_code,exports,fallback,files,files_skipped,findings,id,ok,'
keys="${keys}started_as,status,stderr,stdout,termination,truncated,usage,value,walls"
look() { printf %s "$out" | json "$1"; }

run glovebox run --json -e 'console.log("hi"); ({ a: 1 })'
is "$(look 'Object.keys(j).sort().join()')" "$keys" "a good result has all keys"
is "$(look 'j.ok + j.status')" truecompleted "ok and completed"
is "$(look 'j.value')" '{"a":1}' "the value is JSON, not text of JSON"
is "$(look 'JSON.stringify(j.stdout)')" '"hi\n"' "stdout is in it"
is "$(look 'Object.keys(j.usage).join()')" \
    wall_ms,cpu_ms,memory_peak_mb,output_bytes,calls,egress_bytes,counted_by "usage is complete"
is "$(look 'Object.keys(j.termination).join()')" \
    reason,limit,limit_value,observed,location,hint "termination is complete"
is "$(look 'j.error')" null "no error"
is "$(look '[j.calls, j.denials, j.findings, j.files]')" '[[],[],[],[]]' "lists are there and empty"
is "$(look '/^exec_[a-z2-9]{20}$/.test(j.id)')" true "the id has its form"
always='sfi no_new_privs descriptors'
[ -n "${GB_SANITIZED:-}" ] || always="$always seccomp rlimits"    # not claimed there
for wall in $always; do
    is "$(look "j.walls.includes('$wall')")" true "the wall $wall stood"
done

run glovebox run --json -e 'throw new TypeError("bad thing")'
is "$(look 'Object.keys(j).sort().join()')" "$keys" "a failure has the same keys"
is "$(look '[j.ok, j.status, j.exit_code, j.error.code, j.error.name, j.error.message]')" \
    '[false,"failed",1,"exception","TypeError","bad thing"]' "and says what failed"
is "$(look '[j.termination.location.file, j.termination.location.line]')" '["[eval]",1]' "and where"

run glovebox run --json --max-output 5 -e 'console.log("abcdefgh")'
is "$(look 'j.truncated.stdout')" true "what was cut is said"
is "$(look 'j.stdout')" abcde "and the rest kept"

run glovebox run --pretty -e '[]'
is "$(printf '%s\n' "$out" | sed -n 2p | cut -c1-8)" '  "id": ' "--pretty indents"
is "$(look 'j.value')" '[]' "and stays JSON"

run glovebox run --json -e 'new Map([[1, 2]])'
has "$out" '"value":{"$map":' "what JSON cannot say is tagged"
run glovebox run --json --plain -e 'NaN'
has "$out" '"value":null' "--plain is plain"
run glovebox run --json -e '__proto__ = 1; ({ get x() { throw 1 } })'
is "$(look 'j.ok')" false "a value that cannot be read is a failure"
done_testing
