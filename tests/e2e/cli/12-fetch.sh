#!/bin/sh
# tests/e2e/cli/12-fetch.sh -- js programs ask the hosts that they may, and no others.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../tap.sh"

# A server of our own on loopback: says its port, then what it is asked.
cat >server.py <<'END'
import http.server, json, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == '/away':
            self.send_response(302)
            self.send_header('location', 'http://169.254.169.254/latest/meta-data')
            self.end_headers()
            return
        body = json.dumps({'path': self.path, 'key': self.headers.get('x-key')}).encode()
        self.send_response(200)
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_POST = do_GET
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
END
mkfifo port
/usr/bin/python3 server.py >port &
server=$!
read -r port <port
trap 'kill $server 2>/dev/null; rm -rf "$tap_dir"' EXIT
at=http://127.0.0.1:$port
js() { run glovebox run --engine js "$@"; }

js -e "try { await fetch('$at/') } catch (e) { e.cause.code }"
is "$code:$out" 0:EACCES "there is no network by default"
js --json -e "await fetch('http://example.com/')"
has "$out" '"what":"net.fetch"' "a refusal is among the denials"
has "$out" '"hint":"glovebox run --allow-net example.com' "and says what would allow it"

js --allow-net "127.0.0.1:$port" -e "(await (await fetch('$at/a?b=1')).json()).path"
is "$code:$out" "0:/a?b=1" "an address that was named is asked"
js --allow-net "127.0.0.1:$port" -e "await fetch('http://127.0.0.1:1/')"
is "$code" 1 "another port of it is not"
has "$err" "--allow-net 127.0.0.1:1" "and the refusal says what would allow it"
js --allow-net "127.0.0.1:$port" -e "try { await fetch('$at/away') } catch (e) { e.cause.message }"
has "$out" "169.254.169.254" "a redirect is judged again"
js --allow-net "*:$port" -e "try { await fetch('$at/') } catch (e) { e.cause.code }"
is "$code:$out" 0:EACCES "a rule for all hosts opens no loopback"

js --allow-net "127.0.0.1:$port methods=GET path=/v1/**" -e "(await fetch('$at/v1/x')).status"
is "$code:$out" 0:200 "methods and paths can be held to a rule"
js --allow-net "127.0.0.1:$port methods=GET path=/v1/**" \
    -e "try { await fetch('$at/v2') } catch (e) { e.cause.code }"
is "$code:$out" 0:EACCES "another path is refused"
js --allow-net "127.0.0.1:$port methods=GET" \
    -e "try { await fetch('$at/', { method: 'POST' }) } catch (e) { e.cause.code }"
is "$code:$out" 0:EACCES "another method is refused"

KEY=hunter2 && export KEY
js --allow-net "127.0.0.1:$port" --secret KEY@127.0.0.1 --json \
    -e "const r = await fetch('$at/', { headers: { 'x-key': secrets.KEY } });
        [secrets.KEY, (await r.json()).key.length]"
has "$out" '"value":["glovebox-secret:KEY",' "a program holds a placeholder, never the value"
case $out$err in *hunter2*) ok 1 "the value is in no output" ;; *) ok 0 "the value is in no output" ;; esac
js --allow-net "127.0.0.1:$port" --secret KEY@api.example.com \
    -e "try { await fetch('$at/', { headers: { 'x-key': secrets.KEY } }) } catch (e) { e.cause.message }"
has "$out" "api.example.com" "a secret goes to its own host only"
js --secret KEY@api.example.com -e 1
is "$code:$out" 125: "a secret without a host to talk to is refused"
js --allow-net a.b --secret NO_SUCH_KEY@a.b -e 1
has "$err" "no variable NO_SUCH_KEY" "a secret without a value is refused"
run glovebox run --engine python --allow-net a.b --secret KEY@a.b -e 1
has "$err" "end to end" "secrets are for js, and why"
js --allow-net "http://a.b/" -e 1
is "$code:$out" 125: "a host is not a URL"
js --allow-net "127.0.0.1:$port" --max-egress 10b \
    -e "try { await (await fetch('$at/')).text() } catch (e) { 'stopped' }"
has "$out" stopped "bytes are bounded"

done_testing
