# SPDX-License-Identifier: Apache-2.0
"""Measures ten uncontended locks that are all taken and released: by a lock that takes several at once, in a loop, and,
for comparison, a single lock.
"""

import statistics

from driver.kinds import OURS
from driver.result import Aim

LOCKS = 10
ALL = f"{LOCKS} locks as one"
LOOP = f"{LOCKS} locks in a loop"
ONE = "one lock"
CASES = {ALL: ("several", LOCKS), LOOP: ("loop", LOCKS), ONE: ("loop", 1)}


def measure(bench):
    times = bench.new_result(
        "several", "Several free locks at once", "µs a cycle", "lower", reference=OURS, scale="log",
        shown=[ALL, ONE],
        about="As one: `multi_lock`, and Curator's `InterProcessMultiLock`.",
        aims=[Aim("≤ 1.6 × the value of one lock", ALL, 1.6, True, OURS, versus_case=ONE),
              Aim("≤ 0.5 × Curator", ALL, 0.5, True, "curator")])
    names = bench.names_that_can("several")
    with bench.crew(names) as crew:
        paths = {name: bench.new_path() for name in names}

        def medians(name, cycles):
            (peer,) = crew[name]
            return {case: statistics.median(peer.ask(command, paths[name], locks, cycles)["us"])
                    for case, (command, locks) in CASES.items()}

        def sample(name):
            for case, value in medians(name, max(bench.settings.cycles // LOCKS, 1)).items():
                times.add(case, name, value)

        warm_up = max(bench.settings.warm_up // LOCKS, 1)
        bench.warm_up_and_sample(times, ALL, names, bench.settings.rounds, lambda name: medians(name, warm_up), sample)
    return [times]
