# SPDX-License-Identifier: Apache-2.0
"""Peer "kazoo": uses kazoo.recipe.lock.Lock. protocol.hpp describes the commands."""

import sys
import time

import kazoo.version
from kazoo.client import KazooClient


def cycle(client, path, count):
    lock = client.Lock(path)
    times = []
    for _ in range(int(count)):
        start = time.monotonic()
        lock.acquire()
        lock.release()
        times.append((time.monotonic() - start) * 1e6)
    return "us=" + ",".join(f"{one:.1f}" for one in times)


def contend(client, path, begin, end):
    lock = client.Lock(path)
    grants = total = 0
    begin, end = int(begin) / 1e6, int(end) / 1e6
    while time.time() < end:
        lock.acquire()
        total += 1
        grants += begin <= time.time() < end
        lock.release()
    return f"grants={grants} all={total}"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: kazoo_peer.py CONNECT")
    client = KazooClient(hosts=sys.argv[1], timeout=30)
    client.start(timeout=30)
    commands = {"cycle": cycle, "contend": contend}
    print(f"ok version={kazoo.version.__version__} commands={','.join(commands)}", flush=True)
    for line in sys.stdin:
        name, *given = line.split()
        try:
            if name not in commands:
                raise ValueError(f"no command '{name}'")
            print("ok", commands[name](client, *given), flush=True)
        except Exception as failure:  # any failure is this command's answer
            print("error", repr(failure).replace("\n", " "), flush=True)
    client.stop()


main()
