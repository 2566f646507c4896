#!/bin/sh
# SPDX-License-Identifier: MIT
# The worker is assumed to be the attacker's: whatever it says or does, the
# supervisor stays well, the run ends with the right reason, and it is killed.
. "$(dirname "$0")/../tap.sh"

src=$tap_home/../../../src
mkdir place
cp "$(dirname "$GLOVEBOX")/base.image" place/ 2>/dev/null || skip_all "no base.image"
${CC:-cc} -std=c17 -D_GNU_SOURCE -I"$src" -O1 -static -o place/glovebox-worker \
    "$tap_home/hostile.c" "$src"/base/*.c "$src"/wire/*.c "$src"/jail/seccomp.c \
    2>.cc || skip_all "no compiler for a static program: $(head -1 .cc)"
export GLOVEBOX_LIBEXEC=$PWD/place

does() {    # does DEED REASON WORDS [FLAGS...]
    deed=$1 reason=$2 words=$3
    shift 3
    run timeout 20 "$GLOVEBOX" run --json "$@" -e "$deed"
    is "$(printf %s "$out" | json 'j.termination.reason')" "$reason" "$deed: $reason"
    has "$(printf %s "$out" | json 'JSON.stringify(j.error)')" "$words" "$deed: and why"
}

does be_good completed null
does garbage crashed "not a frame"
does unknown_type crashed "unknown type 77"
does our_type crashed "unknown type 32"
does hello_again crashed "HELLO in phase"
does wrong_phase crashed "IMAGE in phase"
does announces_too_much crashed "RESULT of 1152921504606846976 bytes"
does cut_off crashed "malformed result"
does bad_value crashed "malformed value"
does other_run crashed "result of another run"
does claims_cancelled crashed "claimed the ending cancelled"
does asks_for_files crashed "no root was given"
does hangs_up crashed "closed its channel"
does is_silent wall_time_limit "still running after 100 ms" --timeout 100ms
does crashes crashed "SIGSEGV"
does exits crashed "status 3"
does last_words crashed "out of?]0;x? cells"
does forbidden_call syscall_denied "system call"
does floods completed null --max-output 1000
is "$(printf %s "$out" | json '[j.stdout.length, j.truncated.stdout, j.truncated.stdout_total_bytes]')" \
    '[1000,true,6553600]' "our own count caps what a worker may print"

# The next run gets a fresh worker, whatever the last one did.
for deed in be_good garbage crashes be_good result_twice be_good; do
    printf %s "$deed" >"$deed.js"
done
run timeout 20 "$GLOVEBOX" run --json be_good.js garbage.js crashes.js result_twice.js be_good.js
is "$(printf '%s\n' "$out" | while read -r line; do
          printf %s "$line" | json j.termination.reason
      done | tr '\n' ' ')" \
    "completed crashed crashed completed completed " "a bad worker is replaced"
done_testing
