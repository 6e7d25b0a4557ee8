# SPDX-License-Identifier: Apache-2.0
"""Threads of one process, through one client, that want the same path all the time."""

from driver.kinds import IN_PROCESS, OURS, SHARED
from driver.result import Aim

THREADS = 8
CASE = f"{THREADS} threads"


def measure(bench):
    rates = bench.new_result(
        "threads", "Threads of one process on one path", "grants a second", "higher", reference=OURS, scale="log",
        about="One client; Curator with a lock object for each thread, which is its quicker way, ours with one for all; strict first come, first served. The in-process queue is the floor of any hand-over inside a process.",
        aims=[Aim("at least as fast as Curator", CASE, 1, False, "curator"),
              Aim("cohort ≥ 0.7 × in-process", CASE, 0.7, False, IN_PROCESS, of=SHARED),
              Aim("cohort ≥ 100 × Curator", CASE, 100, False, "curator", of=SHARED, floor=IN_PROCESS)])
    names = bench.names_that_can("threads")
    with bench.crew(names) as crew:
        paths = {name: bench.new_path() for name in names}

        def window(name):
            (answer,) = bench.window(crew[name], "threads", paths[name], THREADS)
            return answer["grants"] / bench.settings.window_seconds

        for name, failure in bench.in_turns(1, names, window):  # warm-up
            rates.fail(CASE, name, failure)
        alive = [name for name in names if not rates.failed(CASE, name)]
        for name, failure in bench.in_turns(bench.settings.window_rounds, alive,
                                            lambda name: rates.add(CASE, name, window(name))):
            rates.fail(CASE, name, failure)
    return [rates]
