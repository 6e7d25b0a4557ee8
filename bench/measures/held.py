# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of many held locks for a client, and of many clients in one process. Measures only the library."""

import time

from driver.kinds import OURS
from driver.peer import PeerError

POLL_SECONDS = 0.02


def measure(bench):
    count, clients = bench.settings.held, bench.settings.clients
    held = bench.new_result(
        "held", f"{count:,} locks held by one client",
        "as the column says", "lower", shape="",
        about="The client acquires the locks at once, holds them, and releases them at once. \"A minute\": while it "
              "holds them.")
    crowd = bench.new_result(
        "clients", f"{clients:,} clients of one runtime",
        "as the column says", "lower", shape="",
        about="The clients of one process connect and then are idle.")
    if not bench.has(OURS):
        return [held, crowd]
    with bench.crew([OURS]) as crew:
        (peer,) = crew[OURS]
        peer.ask("cycle", bench.new_path(), bench.settings.warm_up)
        heap = peer.ask("heap")["heap"]
        answer = peer.ask("keep", bench.new_path(), count, seconds=bench.settings.pending_seconds)
        held.add("seconds to acquire", OURS, answer["us"] / 1e6)
        held.add("bytes of heap a lock", OURS, (peer.ask("heap")["heap"] - heap) / count)
        _add_minute(bench, peer, held)
        znodes = _znodes(bench)
        started = time.monotonic()
        peer.ask("drop", seconds=bench.settings.pending_seconds)
        while _znodes(bench) > znodes - count:
            if time.monotonic() > started + bench.settings.pending_seconds:
                raise PeerError(f"{_znodes(bench) - znodes + count:,} of {count:,} znodes are left")
            time.sleep(POLL_SECONDS)
        held.add("seconds to release", OURS, time.monotonic() - started)
    with bench.crew([OURS]) as crew:
        (peer,) = crew[OURS]
        before = peer.ask("heap")
        answer = peer.ask("clients", clients, seconds=bench.settings.pending_seconds)
        after = peer.ask("heap")
        crowd.add("seconds to connect", OURS, answer["us"] / 1e6)
        crowd.add("threads", OURS, peer.threads())
        crowd.add("KiB of heap a client", OURS, (after["heap"] - before["heap"]) / clients / 1024)
        crowd.add("KiB resident a client", OURS, (after["rss"] - before["rss"]) / clients / 1024)
        _add_minute(bench, peer, crowd)
    return [held, crowd]


def _znodes(bench):
    return bench.zookeeper.counters()["zk_ephemerals_count"]


def _add_minute(bench, peer, result):
    packets, seconds = bench.idle_minute(peer)
    result.add("packets a minute", OURS, packets)
    result.add("ms of processor a minute", OURS, seconds * 1e3)
