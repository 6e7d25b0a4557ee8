# SPDX-License-Identifier: Apache-2.0
"""Measures the threads and requests of unused lock objects. Measures only the library."""

from driver.kinds import OURS
from driver.result import Aim

OBJECTS = 10_000
CASES = ("threads", "requests when made", "requests a minute idle")


def measure(bench):
    cost = bench.new_result(
        "idle", f"{OBJECTS:,} idle mutex objects",
        "threads or requests that the objects add to their client", "lower", shape="", shown=[],
        about="The client's keep-alive does not count.",
        aims=[Aim("adds none", case, 0, True) for case in CASES[:2]])
    if not bench.has(OURS):
        return [cost]
    with bench.crew([OURS]) as crew:
        (peer,) = crew[OURS]
        peer.ask("cycle", bench.new_path(), 10)
        threads, without = peer.threads(), bench.idle_minute(peer)[0]
        received, _ = bench.zookeeper.connections()
        peer.ask("idle", OBJECTS)
        made, _ = bench.zookeeper.connections()
        cost.add(CASES[0], OURS, peer.threads() - threads)
        cost.add(CASES[1], OURS, made - received)
        cost.add(CASES[2], OURS, bench.idle_minute(peer)[0] - without)
    return [cost]
