#!/bin/sh
# guest/js/build.sh -- bundle the cell runtime into one classic script  (SPDX-License-Identifier: MIT)
#
# usage: guest/js/build.sh OUTFILE        the runtime; its completion value is the internals table
#        guest/js/build.sh --ts OUTFILE   the TypeScript stripper; its completion value is strip()
#
# Run from the repository's root. The bundle is wrapped in a function, so that
# no name of ours becomes a global the guest could see.
set -eu

entry=guest/js/main.js
export=internals
small=
if [ "$1" = --ts ]; then
    entry=guest/js/ts/main.js
    export=strip
    small=--minify    # not our code, and five times the size of ours
    shift
fi

# The engine compiles a template literal to a call of String.prototype.concat,
# which the guest may have replaced (see primordials.js).
if grep -n '[$]{' guest/js/*.js; then
    echo 'guest/js: join with + instead of a template literal' >&2
    exit 1
fi

node_modules/.bin/esbuild "$entry" --bundle --format=iife \
    --global-name=bundle --target=es2023 --charset=utf8 \
    --legal-comments=none --log-level=warning $small \
    --banner:js='(function () { "use strict";' \
    --footer:js="return bundle.$export; })()" \
    --outfile="$1"
