#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes many locks that are held, prints "made", and holds them until SIGTERM.

    make_locks.py CONNECT_STRING NUMBER

Each transaction makes a hundred locks. One transaction for each lock would take minutes.
"""
import signal
import sys

from kazoo.client import KazooClient

K_AT_ONCE = 100


def main():
    servers, number = sys.argv[1], int(sys.argv[2])
    zookeeper = KazooClient(hosts=servers, timeout=60)
    zookeeper.start(timeout=60)
    zookeeper.ensure_path("/many")
    for first in range(0, number, K_AT_ONCE):
        transaction = zookeeper.transaction()
        for i in range(first, min(first + K_AT_ONCE, number)):
            path = f"/many/item-{i:05}"
            transaction.create(path)
            name = f"{path}/_c_00000000-0000-4000-8000-{i:012x}-lock-"
            transaction.create(name, f"host=web-{i % 40} pid={i} label=reserve".encode(), ephemeral=True, sequence=True)
        if any(isinstance(result, Exception) for result in transaction.commit()):
            raise SystemExit("a transaction failed")
    print("made", flush=True)
    signal.sigwait({signal.SIGTERM})
    zookeeper.stop()


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    main()
