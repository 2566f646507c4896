"""tests/conform/python/http_local.py -- a web server and its client on loopback.  SPDX-License-Identifier: MIT"""
import http.client
import json
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/missing":
            return self.answer(404, b"{}")
        self.answer(200, json.dumps({"path": self.path, "agent": self.headers["X-Agent"]}).encode())

    def do_POST(self):
        self.answer(201, self.rfile.read(int(self.headers["Content-Length"]))[::-1])

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever).start()
base = "http://127.0.0.1:%d" % server.server_port
request = urllib.request.Request(base + "/x?y=1", headers={"X-Agent": "test"})
with urllib.request.urlopen(request) as response:
    print(response.status, response.headers["Content-Type"], json.load(response))
print(urllib.request.urlopen(base, data=b"abc").read())
try:
    urllib.request.urlopen(base + "/missing")
except urllib.error.HTTPError as error:
    print(error, error.read())
connection = http.client.HTTPConnection("localhost", server.server_port)
for i in range(3):
    connection.request("GET", "/%d" % i)
    print(connection.getresponse().read())
connection.close()
server.shutdown()
server.server_close()
try:
    urllib.request.urlopen(base)
except urllib.error.URLError as error:
    print(error.reason)
