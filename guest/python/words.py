"""guest/python/words.py -- what is denied is said in words, and reported.

The kernel enforces the permissions of a run; left to itself it would say
"Network is unreachable" or "Operation not permitted". An audit hook sees the
same attempts first, raises PermissionError with the policy that stands in the
way, and tells the supervisor.

SPDX-License-Identifier: MIT
"""
import builtins
import sys
from errno import EACCES
from os import fsdecode
from os.path import basename

import channel

__builtins__ = dict(vars(builtins))

LOOPBACK = {"", "localhost", "ip6-localhost", "::", "::1", "0.0.0.0"}
DATAGRAM = 2    # SOCK_DGRAM


def install(permissions, hostname):
    """Say no where these permissions deny, for good: a hook cannot be taken out."""
    table = {}
    if permissions.get("net") == "deny":
        table.update(network_rows(hostname))
    if permissions.get("child_process") == "deny":
        table.update(SPAWNING)
    if not table:
        return
    find = table.get

    def hook(event, arguments):
        row = find(event)
        if row is not None:
            row(*arguments)

    sys.addaudithook(hook)


def refuse(what, subject, rule, hint):
    channel.denied(what, subject, rule, hint)
    raise PermissionError(EACCES, "EACCES: permission denied, %s: blocked by %s policy" %
                          (subject if what != "child_process.spawn" else "spawn " + subject, rule))


# ---- network -----------------------------------------------------------------

def network_rows(hostname):
    own = LOOPBACK | {hostname}

    def is_own(host):
        host = host.decode("ascii", "replace") if isinstance(host, (bytes, bytearray)) else host
        return host is None or not isinstance(host, str) or host.lower().rstrip(".") in own or \
            host.startswith("127.") or host.startswith("::ffff:127.")

    def connect(socket, address):
        if isinstance(address, tuple) and len(address) >= 2 and not is_own(address[0]):
            protocol = "udp" if socket.type == DATAGRAM else "tcp"
            deny(protocol, address[0], address[1])

    def getaddrinfo(host, port, *_):
        if not is_own(host) and not is_address(host):
            deny("tcp", host, port)

    def lookup(host):
        if not is_own(host) and not is_address(host):
            deny("dns", host, None)

    return {
        "socket.connect": connect, "socket.sendto": connect, "socket.sendmsg": connect,
        "socket.getaddrinfo": getaddrinfo, "socket.gethostbyname": lookup,
        "socket.gethostbyaddr": lookup,
    }


def is_address(host):
    text = host.decode("ascii", "replace") if isinstance(host, (bytes, bytearray)) else host
    return ":" in text or text.replace(".", "").isdigit()


def deny(protocol, host, port):
    host = host.decode("ascii", "replace") if isinstance(host, (bytes, bytearray)) else host
    port = port.decode("ascii", "replace") if isinstance(port, (bytes, bytearray)) else port
    if ":" in host:
        host = "[%s]" % host
    place = host if port in (None, 0, "") else "%s:%s" % (host, port)
    refuse("net.resolve" if protocol == "dns" else "net.connect", "%s://%s" % (protocol, place),
           "network.http", "glovebox run --allow-net " + place)


# ---- processes ---------------------------------------------------------------

def spawn(program):
    """An executable, a list of arguments, or a line for the shell."""
    if isinstance(program, (list, tuple)):
        program = program[0] if program else ""
    try:
        words = fsdecode(program).split() or [""]
    except TypeError:
        words = ["?"]
    refuse("child_process.spawn", basename(words[0]), "child_process.spawn",
           "set child_process to allow in the permissions")


SPAWNING = {
    "subprocess.Popen": lambda program, arguments, *_: spawn(program or arguments),
    "os.system": spawn,
    "os.exec": lambda program, *_: spawn(program),
    "os.posix_spawn": lambda program, *_: spawn(program),
    "os.spawn": lambda mode, program, *_: spawn(program),
    "os.fork": lambda: spawn("fork"),
    "os.forkpty": lambda: spawn("fork"),
    "pty.spawn": spawn,
}
