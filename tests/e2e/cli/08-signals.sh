#!/bin/sh
# SPDX-License-Identifier: MIT
# An interrupted run leaves nothing behind.
. "$(dirname "$0")/../tap.sh"

# Of a process, what stands behind its name in /proc: state, parent, ...
stat_of() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null; }
# The workers of a glovebox process, by its pid.
workers() {
    for folder in /proc/[0-9]*; do
        case $(stat_of "${folder#/proc/}") in
        ?" $1 "*) echo "${folder#/proc/}" ;;
        esac
    done
}
# A zombie is dead; who reaps it is not our business.
alive() { case $(stat_of "$1") in '' | Z*) return 1 ;; esac; }

# Begin a run that prints, wait for its first line, then signal it.
interrupted() {    # interrupted SIGNAL NAME FLAGS...
    signal=$1 name=$2
    shift 2
    mkfifo pipe
    "$GLOVEBOX" run "$@" -e 'console.log("begun"); for (;;);' >pipe 2>.err &
    pid=$!
    exec 3<pipe
    rm pipe
    read -r line <&3
    is "$line" begun "$name: it runs"
    worker=$(workers $pid)
    alive "$worker"; ok $? "$name: and has a worker"
    kill -"$signal" $pid
    wait $pid
    code=$?
    exec 3<&-
    is "$code" 130 "$name: exit code"
    ! alive "$worker"; ok $? "$name: no worker is left"
    has "$(cat .err)" cancelled "$name: said"
}
interrupted TERM "SIGTERM"
interrupted HUP "SIGHUP"
interrupted TERM "a run with a set-up" --timeout 1m

mkfifo pipe
"$GLOVEBOX" run -e 'console.log("begun"); for (;;);' >pipe 2>/dev/null &
pid=$!
exec 3<pipe
read -r line <&3
worker=$(workers $pid)
kill -KILL $pid
wait $pid 2>/dev/null
exec 3<&-
# Nobody tells us when it dies, so look again, a bounded number of times.
n=0
while alive "$worker" && [ $n -lt 500 ]; do n=$((n + 1)); done
! alive "$worker"; ok $? "SIGKILL of glovebox takes the worker along"

ls -A "${TMPDIR:-/tmp}" >.before
run glovebox run --setup /dev/null -e 1
ls -A "${TMPDIR:-/tmp}" >.after
is "$(grep -c glovebox .after)" "$(grep -c glovebox .before)" "no temporary file is made"
done_testing
