#!/bin/sh
# SPDX-License-Identifier: MIT
# Imports: from the root, from --module, and from nowhere else.
. "$(dirname "$0")/../tap.sh"

mkdir -p root/lib root/src outside
echo 'export const secret = "TOPSECRET"' >outside/secret.js
echo 'export const add = (a, b) => a + b' >root/lib/add.js
echo 'export { add } from "./add.js"; export const up = "up"' >root/lib/index.js
cat >root/data.json <<'END'
{"n": 40, "text": "a\u2028\"b\\"}
END
echo 'export const twice = (n: number): number => n * 2' >root/lib/twice.ts
cat >root/src/app.js <<'END'
import { add, up } from '../lib/index.js';
import data from '../data.json';
export default [add(data.n, 2), up, data.text];
END
run glovebox run --root root --json root/src/app.js
is "$(printf '%s\n' "$out" | json 'j.value[0] + j.value[1] + (j.value[2] === "a\u2028\"b\\")')" \
    42uptrue "relative imports, JSON too"
echo 'import { twice } from "./lib/twice.ts"; export default twice(4) as number' >root/main.ts
run glovebox run --root root root/main.ts
is "$out" 8 "TypeScript imports TypeScript"
run glovebox run --root root -e 'import { add } from "./lib/add.js"; export default add(1, 2)'
is "$out" 3 "-e imports from the root"
run glovebox run --root root -e '(await import("./lib/add.js")).add(2, 2)'
is "$out" 4 "import()"
run glovebox run --module math=root/lib/add.js -e 'import { add } from "math"; export default add(5, 5)'
is "$out" 10 "--module"

imports() {    # imports SPECIFIER WORDS NAME
    run glovebox run --root root -e "import x from '$1'; x"
    is "$code" 1 "$3: fails"
    has "$err" "$2" "$3: and why"
    hasnt "$err$out" "$PWD" "$3: no path of the host"
    hasnt "$err$out" TOPSECRET "$3: nothing leaks"
}
imports ./lib/twice.ts "run it with --ts" "TypeScript from JavaScript"
imports ./lib/ad.js "did you mean './lib/add.js'?" "a misspelt name"
imports ./lib/add "did you mean './lib/add.js'?" "a missing extension"
imports ./nope.js "Files in the root: data.json, lib/, main.ts, src/" "a missing file"
imports ./lib "it is a folder" "a folder"
ln -s ../outside/secret.js root/link.js
ln -s ../outside root/dir
ln -s /etc/passwd root/passwd.js
mkfifo root/pipe.js
imports ./link.js "symbolic link" "a link to a file"
imports ./dir/secret.js "symbolic link" "a link to a folder"
imports ./passwd.js "symbolic link" "a link to /etc/passwd"
imports ./pipe.js "not an ordinary file" "a named pipe does not hang"
imports ../outside/secret.js "root" "dot dot"
imports ./lib/../../outside/secret.js "root" "dot dot further in"
imports /etc/passwd "" "an absolute path"
imports file:///etc/passwd "" "a file URL"
imports "./lib//../add.js" "" "slashes in a row"
echo 'KEY=TOPSECRET' >root/.env
imports ./.env "only .js" "a file that is no module"
printf 'export default "\377"' >root/latin.js
imports ./latin.js "not UTF-8" "another encoding"
echo '{"a":}' >root/bad.json
imports ./bad.json "not valid JSON (at byte 5)" "broken JSON"

run glovebox run -e 'import x from "./lib/add.js"'
is "$code" 1 "without --root nothing is imported"
echo 'import "./add.js"; 1' >outside/entry.js
run glovebox run --root root outside/entry.js
is "$code" 125 "an entry outside the root is refused"
has "$err" "is not under --root" "and why"
echo 'missing()' >root/lib/throws.js
run glovebox run --root root -e 'import "./lib/throws.js"'
has "$err" "lib/throws.js:1
missing()
^" "an error in a module shows the module's line"
done_testing
