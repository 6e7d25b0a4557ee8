# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of the client's process for each cycle by Valgrind. The count is the same on each processor
and under any load.
"""

import re

from driver.kinds import BARE, BARE_NO_LIST, OURS
from driver.peer import PeerError
from driver.result import Aim

UNCONTENDED = "uncontended"
COUNTED = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null")
BEFORE = 100  # cycles of the shorter of two runs; the difference of the runs is counted


def measure(bench):
    result = bench.new_result(
        "instructions", "Client's instructions", "instructions a cycle, outside the kernel", "lower",
        reference=OURS, shown=[],
        about="Valgrind's callgrind counted the instructions.",
        aims=[Aim("≤ 1.5 × bare", UNCONTENDED, 1.5, True, BARE, floor=BARE_NO_LIST)])
    able = bench.names_that_can("cycle")
    for name in (BARE, BARE_NO_LIST, OURS):
        if name not in able:
            continue
        try:
            more = _count(bench, name, BEFORE + bench.settings.cycles) - _count(bench, name, BEFORE)
            result.add(UNCONTENDED, name, more / bench.settings.cycles)
        except PeerError as failure:
            result.fail(UNCONTENDED, name, str(failure))
    return [result]


def _count(bench, name, cycles):
    peer = bench.start(name, under=COUNTED)
    peer.ask("cycle", bench.new_path(), cycles)
    peer.end()
    counts = re.findall(r"Collected : (\d+)", peer.log.read_text(errors="replace"))
    if not counts:
        raise PeerError("Valgrind did not say what it has counted")
    return int(counts[-1])
