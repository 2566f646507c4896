#!/bin/sh
# SPDX-License-Identifier: MIT
# Real Node.js, as a person uses it from the command line.
. "$(dirname "$0")/../tap.sh"

need_engine node

# ---- which engine -------------------------------------------------------------
run glovebox run -v -e 'import fs from "node:fs"; fs.existsSync("/etc/passwd")'
is "$code:$out" 0:true "a builtin makes it node"
has "$err" "engine node: it imports node:fs (line 1)" "--verbose says why"
run glovebox run -v -e 'const p = require("path"); p.join("a", "b")'
is "$out" a/b "require makes it node"
run glovebox run -v -e '"require(\"fs\")".length'
has "$err" "engine js" "what stands in a text does not"
run glovebox run --engine js -e 'require("fs")'
is "$code" 1 "--engine js stays js"
echo 'process.version.startsWith("v")' >old.cjs
run glovebox run old.cjs
is "$out" true "a .cjs is node"
echo 1 >a.js
refused "a.js is js, old.cjs is node (its name ends in .cjs): run them one engine at a time" \
    "files of two engines" glovebox run a.js old.cjs
refused "--root is not for node programs" "a flag of js" glovebox run --root . -e 'require("fs")'
has "$err" "this one is node because it calls require (line 1)" "... and why it is node"
refused "--mount is not for js programs" "a flag of node" glovebox run --mount .:/data -e 1
refused "js programs have no arguments" "arguments for js" glovebox run a.js -- x
refused "a session is js only" "a session of node" glovebox repl --engine node
run glovebox run --engine node --node /nonexistent -e 1
is "$code:$err" "127:glovebox: run: --node: /nonexistent: No such file or directory" "a node that is not there"
run env PATH=/nonexistent GLOVEBOX_LIBEXEC="$PWD" "$GLOVEBOX" run -e 'import "node:fs"'
is "$code" 125 "no node at all"
has "$err" "-e needs node (it imports node:fs (line 1)), and there is no Node.js here: install" "... says how"

# ---- values and endings ---------------------------------------------------------
run glovebox run --engine node -e '({ a: [1, new Map([[1, 2]])], n: 3n })'
is "$out" "{ a: [ 1, Map(1) { 1 => 2 } ], n: 3n }" "a value is inspected"
run glovebox run --engine node --json -e 'new Map([[1, 2]])'
has "$out" '"value":{"$map":' "... and tagged as JSON"
is "$(printf %s "$out" | json '[j.ok, j.engine, j.exit_code]')" '[true,"node",0]' "the JSON says which engine"
run glovebox run --engine node --input '{"a":[1,2,3]}' -e 'input.a.length'
is "$out" 3 "--input"
run glovebox run --engine node -e 'console.log("out"); console.error("err"); process.exitCode = 3'
is "$code:$out" 3:out "its exit code is ours"
is "$err" "err
glovebox: the program ended with code 3" "... and said in one line"
run glovebox run --engine node -e 'console.log("before"); process.exit(7)'
is "$code:$out" 7:before "process.exit()"
printf 'const fs = require("fs");\nfunction f() { throw new TypeError("bad thing"); }\nf();\n' >throws.js
run glovebox run throws.js
is "$code" 1 "an uncaught error: exit code"
has "$err" "TypeError: bad thing" "... printed as node does"
is "$(printf '%s\n' "$err" | grep -c 'TypeError: bad thing')" 1 "... and once"
hasnt "$err" "glovebox:" "... without a word of ours"
run glovebox run --json throws.js
is "$(printf %s "$out" | json '[j.termination.reason, j.error.name, j.error.message]')" \
    '["exception","TypeError","bad thing"]' "... and told in the JSON"
run glovebox run --engine node --timeout 500ms -e 'console.log("begun"); setInterval(() => {}, 1000)'
is "$code:$out" 124:begun "a program that waits for ever is ended"
has "$err" "glovebox: wall_time_limit: " "... and it is said"
run glovebox run --engine node --cpu 300ms --timeout 20s -e 'for (;;);'
is "$code" 124 "one that computes for ever too"
run glovebox run --engine node --memory 64mb -e 'const a = []; for (;;) a.push(Buffer.alloc(1 << 20, 1))'
is "$code" 137 "one that holds too much"
run glovebox run --engine node --max-output 1kb -e 'for (;;) console.log("x".repeat(100))'
is "$code" 1 "one that prints too much"
has "$err" output_limit "... and it is said"

# ---- what it finds --------------------------------------------------------------
run glovebox run --engine node -e 'JSON.stringify(process.argv.slice(2))' --arg one -- two --three
is "$out" '["one","two","--three"]' "--arg, and what follows --"
echo 'console.log(process.argv.slice(2).join())' >args.cjs
run glovebox run args.cjs -- -e --json
is "$out" "-e,--json" "flags after -- are the program's"
export GB_TEST_SECRET=s3cret GB_TEST_KEPT=kept
run glovebox run --engine node --env A=b=c --env GB_TEST_KEPT \
    -e '[process.env.A, process.env.GB_TEST_KEPT, process.env.GB_TEST_SECRET].join()'
is "$out" "b=c,kept," "--env, and nothing else of our variables"
refused "there is no variable GB_NOPE here" "a variable that is not" glovebox run --engine node --env GB_NOPE -e 1
echo 'process.stdin.setEncoding("utf8").on("data", d => console.log("got " + d.trim()))' >in.cjs
echo piped | glovebox run in.cjs >.piped 2>&1
is "$(cat .piped)" "got piped" "what is piped into us is its input"
echo piped | glovebox run in.cjs --stdin none >.piped 2>&1
is "$(cat .piped)" "" "--stdin none"
echo filed >in.txt
run glovebox run in.cjs --stdin in.txt
is "$out" "got filed" "--stdin FILE"
run glovebox run in.cjs --stdin nope.txt
is "$code" 127 "--stdin of a missing file"
run glovebox run --engine node --cwd /tmp --hostname box -e 'require("os").hostname() + process.cwd()'
is "$out" box/tmp "--hostname and --cwd"
run glovebox run --engine node --seed 7 -e 'Math.random()'
a=$out
run glovebox run --engine node --seed 7 -e 'Math.random()'
is "$out" "$a" "--seed"

# ---- files -----------------------------------------------------------------------
echo content >src.txt
run glovebox run --engine node --file data/in.txt=src.txt --file /workspace/b.txt=src.txt \
    -e 'const read = f => require("fs").readFileSync(f, "utf8"); read("data/in.txt") + read("b.txt").length'
is "$out" "content
8" "--file"
refused "is not PATH=FILE" "a malformed --file" glovebox run --engine node --file x -e 1
refused "--file: " "a --file that leads out" glovebox run --engine node --file ../x=src.txt -e 1
refused "a folder; show it with --mount" "a folder as --file" glovebox run --engine node --file x=. -e 1
run glovebox run --engine node --file x=nope -e 1
is "$code" 127 "a missing --file"
run glovebox run --engine node --out result -q -e 'const fs = require("fs"); fs.mkdirSync("d");
    fs.writeFileSync("d/new.txt", "made"); fs.symlinkSync("/etc/passwd", "link"); 1'
is "$code:$out:$(cat result/d/new.txt)" 0::made "--out makes the folder and brings files"
[ ! -e result/link ]; ok $? "... but no links"
has "$err" "--out: 1 left out: 1 links" "... and says so"
refused "takes the files of one run" "--out of two runs" glovebox run --engine node --out result --repeat 2 -e 1
mkdir -p shared
echo here >shared/f
run glovebox run --engine node --mount shared:/data -e 'String(require("fs").readFileSync("/data/f")).trim()'
is "$out" here "--mount"
run glovebox run --engine node --mount shared:/data -e 'require("fs").writeFileSync("/data/g", "1")'
is "$code" 1 "... is read-only"
chmod 777 shared
run glovebox run --engine node --mount shared:/data:rw -e 'require("fs").writeFileSync("/data/g", "1"); 1'
is "$code:$(cat shared/g 2>/dev/null)" 0:1 "... unless it is rw"
for at in / /usr /usr/lib/x /proc /etc /opt/node /glovebox /opt data /a/../b; do
    run glovebox run --engine node --mount "shared:$at" -e 1
    is "$code" 125 "no mount at $at"
done
refused "which would hide it" "a mount in /workspace" glovebox run --engine node --mount shared:/workspace/x -e 1
refused "is this host's kernel" "a mount of /proc" glovebox run --engine node --mount /proc:/data -e 1
refused "all of this host" "a mount of /" glovebox run --engine node --mount /:/data -e 1
run glovebox run --engine node --mount nope:/data -e 1
is "$code" 127 "a mount of nothing"

# ---- packages --------------------------------------------------------------------
mkdir -p proj/node_modules/one proj/node_modules/@s/two
echo '{"name":"one","version":"1.0.0","main":"i.js"}' >proj/node_modules/one/package.json
echo 'exports.n = 41' >proj/node_modules/one/i.js
echo '{"name":"@s/two","version":"1.0.0","type":"module","exports":"./i.mjs"}' >proj/node_modules/@s/two/package.json
echo 'export default "two"' >proj/node_modules/@s/two/i.mjs
run glovebox run --packages proj -e 'import one from "one"; import two from "@s/two"; export default [one.n, two]'
is "$out" "[ 41, 'two' ]" "--packages of a project"
run glovebox run --packages proj/node_modules -e 'require("one").n'
is "$out" 41 "... and of a node_modules"
echo '{"dependencies":{"one":"1","missing":"1"}}' >proj/package.json
run glovebox run --packages proj --preload @s/two -e 'import two from "@s/two"; export default two'
is "$out" two "dependencies that are not installed are left alone"
run glovebox run --packages nope -e 'require("one")'
is "$code" 127 "a missing folder of packages"
mkdir bare
run glovebox run --packages bare -e 'require("one")'
has "$err" "holds no node_modules; run npm install there first" "a project without its packages"
run glovebox run -e 'import x from "not-there"'
is "$code" 1 "a package that is not there"

# ---- permissions -----------------------------------------------------------------
perm() { run glovebox run --engine node --permissions "$@"; }
perm '{"child_process":"deny"}' -e 'require("child_process").execFileSync("/bin/true")'
is "$code" 1 "child_process deny"
run glovebox run --engine node -q -e 'require("child_process").execFileSync("/bin/true")'
is "$code" 0 "... and its control"
cat >try.cjs <<'END'
const attempt = f => { try { require('fs').writeFileSync(f, '1'); return 'written' } catch (e) { return e.code } };
['/workspace/x', '/tmp/x', '/dev/shm/x'].map(attempt).join()
END
perm '{"fs":"deny"}' try.cjs
is "$out" EACCES,EACCES,EACCES "fs deny"
run glovebox run try.cjs
is "$out" written,written,written "... and its control"
perm '{"fs":{"default":"allow","rules":[{"mode":"deny","operations":["write"],"paths":["/tmp/**"]}]}}' try.cjs
is "$out" written,EACCES,written "one folder denied"
perm '{"fs":{"rules":[{"mode":"allow","operations":["read"],"paths":["/data/**"]}]}}' --mount shared:/data:rw \
    -e 'require("fs").readFileSync("/data/f", "utf8").trim()'
is "$out" here "fs rules allow reading"
perm '{"fs":{"rules":[{"mode":"allow","operations":["read"],"paths":["/data/**"]}]}}' --mount shared:/data:rw \
    -e 'require("fs").writeFileSync("/data/h", "1")'
is "$code" 1 "... and not writing"
perm '{"env":{"rules":[{"mode":"allow","operations":["read"],"patterns":["A*"]}]}}' --env AB=1 --env B=2 \
    -e '[process.env.AB, process.env.B].join()'
is "$out" 1, "env rules"
echo '{"process":"deny"}' >p.json
refused "process cannot be denied" "what cannot be enforced" glovebox run --engine node --permissions @p.json -e 1
refused 'fs.rules[0].operations must not be empty; use ["*"] for wildcard' "an empty rule" \
    glovebox run --engine node --permissions '{"fs":{"rules":[{"mode":"allow","operations":[],"paths":["*"]}]}}' -e 1
run glovebox run --engine node -e 'fetch("http://example.com").catch(e => { console.log("no"); process.exitCode = 1 })'
is "$code:$out" 1:no "no network unless it is allowed"
mkfifo port
python3 - >port 2>/dev/null <<'END' &
import http.server
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"served")
s = http.server.HTTPServer(("127.0.0.1", 0), Answer)
print(s.server_port, flush=True)
s.serve_forever()
END
server=$!
read -r port <port
if [ -n "$port" ]; then
    get='await (await fetch("http://localhost:'$port'/")).text()'
    run glovebox run --engine node --allow-net "localhost:$port" -e "$get"
    is "$code:$out" 0:served "--allow-net"
    run glovebox run --engine node --allow-net x.example --json -e 'await fetch("http://y.example/")'
    is "$code:$(printf %s "$out" | json 'j.denials.length && j.denials[0].subject')" 1:dns://y.example \
        "... of another host does not help, and the denial is told"
    run glovebox run --engine node --allow-net x.example -e 'await fetch("http://y.example/")'
    has "$err" "glovebox: denied: net.resolve dns://y.example; rule: default" "... and said"
    perm '{"net":{"rules":[{"mode":"allow","operations":["*"],"patterns":["tcp://localhost:'"$port"'"]}]}}' -e "$get"
    is "$out" served "net rules"
    kill $server
else
    skip "no python3 to serve" "--allow-net"
fi
refused "is not HOST" "a malformed host" glovebox run --engine node --allow-net 'a b' -e 1

# ---- walls -----------------------------------------------------------------------
refused "native code is in no sandbox" "a wall that cannot be missed" \
    glovebox run --engine node --allow-missing seccomp -e 1
refused "--require sfi" "a wall of js" glovebox run --engine node --require sfi -e 1
refused "unknown flag --leave-out" "what only tests may" glovebox run --engine node --leave-out landlock -e 1

# ---- many ------------------------------------------------------------------------
run glovebox run --engine node -q --repeat 20 -j 2 -e 'if (globalThis.seen) throw 1; globalThis.seen = 1'
is "$code" 0 "--repeat: every run is fresh"
has "$err" "20 runs, mean " "and timed"
run glovebox run --engine node -q --repeat 10 --spares 2 -e '1'
is "$code" 0 "--spares"
run glovebox run --engine node --cold --json -e '6 * 7'
is "$(printf %s "$out" | json '[j.value, j.started_as]')" '[42,"process"]' "--cold"
echo 'console.log("f1"); 1' >f1.cjs
echo 'console.log("f2"); process.exit(4)' >f2.cjs
run glovebox run -j 2 f1.cjs f2.cjs f1.cjs
is "$code:$out" "4:f1
1
f2
f1
1" "several files, each fresh, in order"
has "$err" "2 passed, 1 failed" "and counted"
printf 'import fs from "node:fs";\nconst n: number = 40;\nn + Number(fs.existsSync("/proc"))\n' >t.mts
run glovebox run t.mts
is "$out" 41 "TypeScript"
done_testing
