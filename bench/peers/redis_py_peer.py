# SPDX-License-Identifier: Apache-2.0
"""Peer "redis-py": uses redis.lock.Lock of Python's client as its manual shows it, with the default pause of 0.1 s
between tries. protocol.hpp and plain_lock.hpp describe the commands.

    redis_py_peer.py HOST:PORT [LEASE]     LEASE in milliseconds, 30,000 by default
"""

import sys
import threading
import time

import redis

SETTLE_SECONDS = 0.3  # no server reports when the last request has arrived
STACK_BYTES = 256 * 1024


def lock_at(address, path, lease):
    host, _, port = address.rpartition(":")
    return redis.Redis(host=host, port=int(port)).lock(path, timeout=lease)


class Commands:
    def __init__(self, address, lease):
        self.address = address
        self.lease = lease
        self.locks = {}
        self.waiters = []  # connections of waiters, which are made once

    def at(self, path):
        if path not in self.locks:
            self.locks = {path: lock_at(self.address, path, self.lease)}
        return self.locks[path]

    def cycle(self, path, count):
        lock = self.at(path)
        times = []
        for _ in range(int(count)):
            start = time.monotonic()
            lock.acquire()
            lock.release()
            times.append((time.monotonic() - start) * 1e6)
        return "us=" + ",".join(f"{one:.1f}" for one in times)

    def contend(self, path, begin, end):
        lock = self.at(path)
        grants = total = 0
        begin, end = int(begin) / 1e6, int(end) / 1e6
        while time.time() < end:
            lock.acquire()
            total += 1
            grants += begin <= time.time() < end
            lock.release()
        return f"grants={grants} all={total}"

    def hold(self, path):
        self.at(path).acquire()
        return "held=1"

    # Executes the command `await`. The method has another name, because `await` is a keyword of Python.
    def wait(self, path):
        lock = self.at(path)
        lock.acquire()
        granted = time.time()
        lock.release()
        return f"granted_at={granted * 1e6:.0f}"

    def drain(self, path, count):
        count = int(count)
        while len(self.waiters) < count:
            host, _, port = self.address.rpartition(":")
            self.waiters.append(redis.Redis(host=host, port=int(port)))
            self.waiters[-1].ping()
        first = self.at(path)
        start = time.time()
        first.acquire()

        def take(client):
            lock = client.lock(path, timeout=self.lease)
            lock.acquire()
            lock.release()

        threading.stack_size(STACK_BYTES)
        threads = [threading.Thread(target=take, args=(client,)) for client in self.waiters[:count]]
        for thread in threads:
            thread.start()
        asked = time.time()
        time.sleep(SETTLE_SECONDS)
        full = time.time()
        first.release()
        for thread in threads:
            thread.join()
        return f"us={(time.time() - full) * 1e6:.0f} enqueue_us={(asked - start) * 1e6:.0f}"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: redis_py_peer.py HOST:PORT [LEASE]")
    known = Commands(sys.argv[1], int(sys.argv[2]) / 1e3 if len(sys.argv) == 3 else 30)
    commands = {"cycle": known.cycle, "contend": known.contend, "hold": known.hold, "await": known.wait,
                "drain": known.drain}
    print(f"ok version={redis.__version__} commands={','.join(commands)}", flush=True)
    for line in sys.stdin:
        name, *given = line.split()
        try:
            if name not in commands:
                raise ValueError(f"no command '{name}'")
            print("ok", commands[name](*given), flush=True)
        except Exception as failure:  # any failure is this command's answer
            print("error", repr(failure).replace("\n", " "), flush=True)


main()
