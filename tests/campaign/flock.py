# SPDX-License-Identifier: Apache-2.0
"""Opens thousands of idle sessions, and lets them expire on an order, together with a victim's session.

    flock.py COUNT TIMEOUT_MS SERVER...

Orders on standard input, one a line:
    mark SPREAD SILENCE    touch every session once, spread over SPREAD seconds, then send nothing for
                           SILENCE seconds: all sessions expire, in the same ticks of the servers as any
                           other session whose client sends nothing from now on
The program opens expired sessions again, slowly. It ends when standard input is closed.
"""

import random
import resource
import select
import socket
import ssl
import sys
import time

from raw_client import PING_FRAME, address_of, connect_request, security_of

OPENED_PER_ROUND = 10
ROUND = 0.02  # seconds for each round of the loop


class Flock:
    def __init__(self, count, timeout_ms, servers):
        self.timeout_ms = timeout_ms
        self.addresses = [address_of(one) for one in servers]
        self.security = security_of(servers[0])
        self.poll = select.epoll()
        self.links = {}  # links by their descriptor
        self.missing = count
        self.silent_until = 0.0
        self.marks = []  # (time, descriptor), the earliest one last
        self.next_ping = 0.0

    def open_some(self):
        for _ in range(min(OPENED_PER_ROUND, self.missing)):
            link = socket.socket()
            link.setblocking(False)
            try:
                link.connect(random.choice(self.addresses))
            except BlockingIOError:
                pass
            except OSError:
                link.close()
                return
            self.missing -= 1
            self.links[link.fileno()] = [link, False]
            self.poll.register(link.fileno(), select.EPOLLIN | select.EPOLLOUT)

    def greet(self, number):
        """Finishes the TLS handshake, if the server uses TLS. Then requests a session."""
        link = self.links[number]
        try:
            if self.security:
                if not isinstance(link[0], ssl.SSLSocket):
                    link[0] = self.security.wrap_socket(link[0], server_hostname="127.0.0.1",
                                                        do_handshake_on_connect=False)
                link[0].do_handshake()
        except ssl.SSLWantReadError:
            self.poll.modify(number, select.EPOLLIN)
            return
        except ssl.SSLWantWriteError:
            self.poll.modify(number, select.EPOLLOUT)
            return
        except OSError:
            self.drop(number)
            return
        link[1] = True
        self.poll.modify(number, select.EPOLLIN)
        self.send(number, connect_request(self.timeout_ms))

    def drop(self, number):
        self.poll.unregister(number)
        self.links.pop(number)[0].close()
        self.missing += 1

    def send(self, number, what):
        try:
            self.links[number][0].send(what)
        except OSError:
            self.drop(number)

    def turn(self):
        for number, event in self.poll.poll(ROUND):
            if number not in self.links:
                continue
            if not self.links[number][1]:
                self.greet(number)
            elif event & ~select.EPOLLOUT:
                self.read(number)
        now = time.monotonic()
        while self.marks and self.marks[-1][0] <= now:
            number = self.marks.pop()[1]
            if number in self.links:
                self.send(number, PING_FRAME)
        if self.marks or now < self.silent_until:
            return
        self.open_some()
        if now >= self.next_ping:
            self.next_ping = now + self.timeout_ms / 2500
            self.spread(self.timeout_ms / 3000)

    def read(self, number):
        try:
            if self.links[number][0].recv(4096):
                return
        except (BlockingIOError, ssl.SSLWantReadError):
            return
        except OSError:
            pass
        self.drop(number)

    def spread(self, seconds):
        """Sends a ping on every session. The pings are spread over `seconds`."""
        now = time.monotonic()
        self.marks = sorted(((now + random.random() * seconds, n) for n in self.links), reverse=True)

    def mark(self, spread, silence):
        self.spread(spread)
        self.silent_until = time.monotonic() + spread + silence
        self.next_ping = self.silent_until


def main():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    flock = Flock(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
    orders = sys.stdin.fileno()
    while True:
        flock.turn()
        if select.select([orders], [], [], 0)[0]:
            line = sys.stdin.readline().split()
            if not line:
                return
            if line[0] == "mark":
                flock.mark(float(line[1]), float(line[2]))


if __name__ == "__main__":
    main()
