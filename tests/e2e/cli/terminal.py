# tests/e2e/cli/terminal.py -- drives `glovebox repl` and `run` in a terminal.
# Each step waits for what must appear; nothing sleeps. SPDX-License-Identifier: MIT
import os, pty, re, select, signal, sys, time

signal.alarm(120)    # a hang fails, it does not stay

class Terminal:
    def __init__(self, *argv):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm"
            os.execv(argv[0], argv)
        self.seen = b""

    def wait(self, pattern, seconds=15):
        end = time.monotonic() + seconds
        while not (found := re.search(pattern, self.seen, re.S)):
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            data = b""
            if ready:
                try:
                    data = os.read(self.fd, 4096)
                except OSError:
                    pass
            if not data:
                sys.exit(f"{pattern!r} did not appear in {self.seen!r}")
            self.seen += data
        got, self.seen = self.seen[:found.end()], self.seen[found.end():]
        return got

    def send(self, data):
        os.write(self.fd, data)

    def ask(self, line, answer):
        self.send(line + b"\r")
        got = self.wait(answer)
        self.wait(rb"> ")
        return got

    def end(self):
        while True:
            try:
                if not os.read(self.fd, 4096):
                    break
            except OSError:
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

def expect(ok, what):
    if not ok:
        sys.exit("failed: " + what)

glovebox = sys.argv[1]

t = Terminal(glovebox, "repl")
t.wait(rb"glovebox .*\n> ")
t.ask(b"1 + 1", rb"\x1b\[33m2\x1b\[39m")
t.ask(b"undefined", rb"\n\x1b\[2mundefined")
t.send(b"half a line\x03")
t.wait(rb"> ")
t.send(b"[1,\r")
t.wait(rb"\.\.\. ")
t.send(b"\x03")
t.wait(rb"\n> ")
t.ask(b"let k = 7", rb"undefined")
t.send(b"for (;;);\r")
t.wait(rb";\r\n")
t.send(b"\x03")
t.wait(rb"cancelled.*state.*> ")
t.ask(b"typeof k", rb"'undefined'")
t.send(b"'pas' + 1\r'pas' + 2\r")
t.wait(rb"'pas1'.*'pas2'.*> ")
t.send(b"\x04")
expect(t.end() == 0, "Ctrl-D leaves with 0")

t = Terminal(glovebox, "repl")
t.wait(rb"glovebox .*\n> ")
os.kill(t.pid, signal.SIGTERM)
expect(t.end() == 130, "SIGTERM at the prompt leaves")

# A hostile program cannot drive the terminal, but may use colours.
t = Terminal(glovebox, "run", "-e",
             r'console.log("\x1b]0;title\x07\x1b[31mred\x1b[0m\x1b[2Jx\x9b2Jy")')
got = t.wait(rb"y\r\n")
expect(b"\x1b]0;" not in got and b"\x1b[2J" not in got and b"\xc2\x9b" not in got,
       "escapes are shown, not obeyed")
expect(b"\x1b[31mred\x1b[0m" in got and b"^[]0;title^G" in got, "colours pass")
expect(t.end() == 0, "it ends well")

t = Terminal(glovebox, "run", "-e", 'console.log("begun"); for (;;);')
t.wait(rb"begun")
t.send(b"\x03")
t.wait(rb"cancelled")
expect(t.end() == 130, "Ctrl-C ends a run with 130")

# Nothing runs while a program is still being typed: Ctrl-C just ends it.
t = Terminal(glovebox, "run", "-")
while os.readlink(f"/proc/{t.pid}/exe") != os.path.realpath(glovebox):
    os.sched_yield()    # until it is no longer this python
t.send(b"1 + 1\r\x03")
expect(t.end() == -2, "Ctrl-C while reading stdin")
