"""tests/conform/python/sockets.py -- sockets, selectors, pipes.  SPDX-License-Identifier: MIT"""
import array
import os
import select
import selectors
import socket
import tempfile
import threading

listener = socket.create_server(("127.0.0.1", 0))


def serve():
    connection, _ = listener.accept()
    with connection:
        while True:
            data = connection.recv(1024)
            if not data:
                break
            connection.sendall(data.upper())


thread = threading.Thread(target=serve)
thread.start()
with socket.create_connection(listener.getsockname()) as client:
    client.sendall(b"hello")
    print(client.recv(100), client.getpeername()[0])
    client.shutdown(socket.SHUT_WR)
    print(client.recv(100))
thread.join()
listener.close()

a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
b = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
a.bind(("127.0.0.1", 0))
b.sendto(b"datagram", a.getsockname())
print(a.recvfrom(100)[0])
a.close()
b.close()

path = os.path.join(tempfile.mkdtemp(), "s")
with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
    server.bind(path)
    server.listen()
    client.connect(path)
    peer, _ = server.accept()
    client.sendall(b"unix")
    print(peer.recv(10))
    peer.close()

left, right = socket.socketpair()
read, write = os.pipe()
left.sendmsg([b"fd"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [write]))])
message, control, _, _ = right.recvmsg(10, socket.CMSG_SPACE(4))
os.write(array.array("i", control[0][2])[0], b"passed")
print(message, os.read(read, 10))
selector = selectors.DefaultSelector()
selector.register(right, selectors.EVENT_READ, "right")
print(selector.select(0))
left.send(b"x")
print([(key.data, mask) for key, mask in selector.select(1)])
poll = select.poll()
poll.register(right, select.POLLIN)
epoll = select.epoll()
epoll.register(right.fileno(), select.EPOLLIN)
print(len(poll.poll(0)), len(epoll.poll(0)), len(select.select([right], [], [], 0)[0]))
right.settimeout(0.01)
right.recv(10)
try:
    right.recv(10)
except socket.timeout:
    print("timed out")
probe = socket.socket()
print(probe.connect_ex(("127.0.0.1", 1)) != 0)
print(socket.inet_aton("1.2.3.4"), socket.ntohs(1), socket.getaddrinfo("127.0.0.1", 80, type=socket.SOCK_STREAM)[0][4])
