# SPDX-License-Identifier: Apache-2.0
"""Measures threads of one process with one client that request the same path all the time."""

import re

from driver.kinds import IN_PROCESS, OURS, SHARED
from driver.peer import PeerError
from driver.result import Aim

FEW = 8
MANY = 64
HELD = ("half of the times", "99 of 100", "the longest")


def _case(threads):
    return f"{threads} threads"


def measure(bench):
    return [_measure_rates(bench), _measure_lock(bench)]


def _measure_rates(bench):
    few, many = _case(FEW), _case(MANY)
    rates = bench.new_result(
        "threads", "Threads of one process on one path", "grants a second", "higher", reference=OURS, scale="log",
        about="All threads use one client, and get the lock in the order of arrival. With \"retained, "
              "cohort(64)\" the process [keeps the lock](../how-to/sharing.md) between its threads' holds. Curator has "
              "one lock object for each thread, which is faster for Curator.",
        aims=[Aim("at least as fast as Curator", few, 1, False, "curator"),
              Aim("cohort ≥ 0.7 × in-process", few, 0.7, False, IN_PROCESS, of=SHARED),
              Aim("cohort ≥ 100 × Curator", few, 100, False, "curator", of=SHARED, floor=IN_PROCESS),
              Aim("cohort ≥ 0.7 × in-process", many, 0.7, False, IN_PROCESS, of=SHARED),
              Aim("cohort ≥ 0.9 × its value with 8 threads", many, 0.9, False, versus_case=few, of=SHARED)])
    names = bench.names_that_can("threads")
    for threads in (FEW, MANY):
        _add_rates(bench, rates, names, threads)
    return rates


def _add_rates(bench, rates, names, threads):
    case = _case(threads)
    with bench.crew(names) as crew:
        paths = {name: bench.new_path() for name in names}

        def window(name):
            return _window(bench, crew[name], paths[name], threads) / bench.settings.window_seconds

        bench.warm_up_and_sample(rates, case, names, bench.settings.window_rounds, window,
                                 lambda name: rates.add(case, name, window(name)))


def _window(bench, peers, path, threads):
    (answer,) = bench.window(peers, "threads", path, threads)
    return answer["grants"]


def _measure_lock(bench):
    held = bench.new_result(
        "lock", f"The lock of a shared contender, {MANY} threads",
        "ns for which a thread holds the mutex in memory", "lower", shape="", shown=[],
        about="The threads of a process queue by this mutex.")
    if SHARED not in bench.names_that_can("threads"):
        return held
    locks = waits = 0
    for _ in range(bench.settings.window_rounds):
        try:
            locked, waited, times = _lock_times(bench)
        except PeerError as failure:
            held.fail(HELD[0], SHARED, str(failure))
            return held
        locks, waits = locks + locked, waits + waited
        for case, time in zip(HELD, times):
            held.add(case, SHARED, time)
    held.remarks.append(f"The threads acquired this mutex {locks:,} times; {waits:,} times another thread held it.")
    return held


def _lock_times(bench):
    peer = bench.start(SHARED, under=("env", f"LD_PRELOAD={bench.build / 'lock_times.so'}"))
    _window(bench, [peer], bench.new_path(), MANY)
    peer.end()
    told = re.findall(r"lock_times threads=(\d+) locked=(\d+) waited=(\d+) p50=(\d+) p99=(\d+) longest=(\d+)",
                      peer.log.read_text(errors="replace"))
    if not told:
        raise PeerError("the lock functions were not counted")
    threads, locked, waited, *times = map(int, told[-1])
    if threads < MANY:
        raise PeerError(f"the mutex that was locked most often is one of {threads} threads")
    return locked, waited, times
