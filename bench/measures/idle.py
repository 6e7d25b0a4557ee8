# SPDX-License-Identifier: Apache-2.0
"""Measures the threads and requests of unused lock objects. Measures only the library."""

import time
from pathlib import Path

from driver.kinds import OURS
from driver.result import Aim

OBJECTS = 10_000
CASES = ("threads", "requests when made", "requests a minute idle")


def _threads(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("Threads:"):
            return int(line.split()[1])
    raise RuntimeError(f"no thread count in /proc/{pid}/status")


def measure(bench):
    cost = bench.new_result(
        "idle", f"{OBJECTS:,} idle mutex objects", "more than the same client without them", "lower", shape="",
        about="Threads of the process, and packets that the servers received. The client's keep-alive is "
              "subtracted.",
        aims=[Aim("none", case, 0, True) for case in CASES[:2]])
    if not bench.has(OURS):
        return [cost]
    with bench.crew([OURS]) as crew:
        (peer,) = crew[OURS]
        peer.ask("cycle", bench.new_path(), 10)
        threads, without = _threads(peer.pid), _requests_a_minute(bench)
        received, _ = bench.zookeeper.connections()
        peer.ask("idle", OBJECTS)
        made, _ = bench.zookeeper.connections()
        cost.add(CASES[0], OURS, _threads(peer.pid) - threads)
        cost.add(CASES[1], OURS, made - received)
        cost.add(CASES[2], OURS, _requests_a_minute(bench) - without)
    return [cost]


def _requests_a_minute(bench):
    seconds = bench.settings.idle_seconds
    received, _ = bench.zookeeper.connections()
    time.sleep(seconds)
    after, _ = bench.zookeeper.connections()
    return (after - received) * 60 / seconds
