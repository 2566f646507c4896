#!/bin/sh
# tools/setup.sh -- install what the build and the tests need, and say why.
#
# usage: tools/setup.sh [--check]
#
# Looks first and installs only what is missing: Debian or Ubuntu packages by
# apt-get (with sudo when not root), npm packages by the lock file. --check only
# lists what is missing and exits 1 if anything is.
#
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/.."

# a test for it | the package | what it is for
needs() {
    cat <<'LIST'
command -v gcc|gcc|compile the engine and the product
test -f /usr/include/stdlib.h|libc6-dev|the C library's headers
command -v make|make|run this build
command -v pkg-config|pkg-config|find libraries
command -v wasm2c|wabt|translate the engine from wasm to C
test -x /usr/bin/python3|python3|build scripts, and a Python to run
command -v node|nodejs|bundle the code that runs inside cells
command -v npm|npm|fetch the engine by its lock file
command -v prove|perl|run the tests
command -v clang|clang|second compiler, sanitizers and fuzzers of the tests
ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a|libclang-rt-dev|run time of the fuzzers
test -f /usr/include/editline/readline.h|libedit-dev|line editing in the repl
command -v strace|strace|inject faults in the tests
test -f /usr/include/zlib.h|zlib1g-dev|compressed answers in the egress process
pkg-config --exists libcurl|libcurl4-openssl-dev|requests of the egress process
/usr/bin/python3 -c "import numpy"|python3-numpy|what Python programs of agents import, in the tests
/usr/bin/python3 -c "import pandas"|python3-pandas|the same
/usr/bin/python3 -c "import matplotlib"|python3-matplotlib|the same
/usr/bin/python3 -c "import requests"|python3-requests|the same, through egress
LIST
}

# libclang-rt-dev exists under this name from Debian 13 and Ubuntu 24.04 on;
# before, the package carries the compiler's version.
package_name() {
    if [ "$1" = libclang-rt-dev ] && ! apt-cache show libclang-rt-dev >/dev/null 2>&1; then
        apt-cache depends clang 2>/dev/null |
            sed -n 's/.*Depends: clang-\([0-9]*\)$/libclang-rt-\1-dev/p' | head -1
    else
        echo "$1"
    fi
}

missing=$(needs | while IFS='|' read -r test package why; do
    sh -c "$test" >/dev/null 2>&1 || printf '%s|%s\n' "$package" "$why"
done)

if [ "${1:-}" = --check ]; then
    [ -z "$missing" ] || { echo "$missing" | sed 's/|/: /'; exit 1; }
    exit 0
fi

if [ -n "$missing" ]; then
    if ! command -v apt-get >/dev/null; then
        echo "setup: these are missing, and there is no apt-get to install them:" >&2
        echo "$missing" | sed 's/|/: /; s/^/  /' >&2
        exit 1
    fi
    sudo=
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || {
            echo "setup: installing packages needs root, and there is no sudo. Missing:" >&2
            echo "$missing" | sed 's/|/: /; s/^/  /' >&2
            exit 1
        }
        sudo=sudo
    fi
    echo "setup: installing with ${sudo:+$sudo }apt-get:"
    echo "$missing" | sed 's/|/ -- /; s/^/  /'
    $sudo apt-get update -qq
    names=$(echo "$missing" | cut -d'|' -f1 | while read -r name; do package_name "$name"; done)
    # shellcheck disable=SC2086
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $names >/dev/null
fi

# folder | what comes from npm there, by its lock file
while IFS='|' read -r folder what; do
    if ! cmp -s "$folder/package-lock.json" "$folder/node_modules/.installed-lock"; then
        echo "setup: npm ci in $folder -- $what"
        npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error
        cp "$folder/package-lock.json" "$folder/node_modules/.installed-lock"
    fi
done <<'LIST'
.|the engine, the bundler and a Node.js
tests/packages|every supported Node.js, and packages that are run in the tests
LIST
