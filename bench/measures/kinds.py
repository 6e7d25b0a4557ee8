# SPDX-License-Identifier: Apache-2.0
"""Measures the other kinds of locks, which processes with one session each take and release without a pause."""

from driver.kinds import OURS
from driver.result import Aim

CURATOR = "curator"
SESSIONS = 8
WARM_UP = 2  # number of windows; the JVM compiles during the first
# For each case the number of sessions, the number of threads of each session, and the percentage of writes.
SHARED = {"1 reader": (1, 1, 0), "8 readers": (8, 1, 0), "8, 1 % writes": (8, 1, 1), "8 writers": (8, 1, 100),
          "104 readers": (8, 13, 0), "104, 1 % writes": (8, 13, 1)}
# For each case the number of threads of each of the 8 sessions, and the number of permits.
PERMITS = {"3 permits for 8": (1, 3), "10 permits for 104": (13, 10)}


def classes(ours, curators):
    """Returns the classes that a measure uses instead of the mutexes in the labels."""
    return {"turnstile::mutex": ours, "InterProcessMutex": curators}


def measure(bench):
    shared = bench.new_result(
        "kinds-shared", "Read-write lock", "grants a second", "higher", reference=OURS, scale="log",
        classes=classes("turnstile::shared_mutex", "InterProcessReadWriteLock"),
        shown=["8 readers", "8, 1 % writes", "8 writers", "104, 1 % writes"],
        about="The threads are in up to 8 processes.",
        aims=[Aim("≥ 2 × Curator", case, 2, False, CURATOR) for case in SHARED])
    permits = bench.new_result(
        "kinds-semaphore", "Semaphore", "grants a second", "higher", reference=OURS, scale="log",
        classes=classes("turnstile::semaphore", "InterProcessSemaphoreV2"),
        about="Each thread takes one permit at a time.",
        aims=[Aim("≥ 4 × Curator", case, 4, False, CURATOR) for case in PERMITS])
    leaders = bench.new_result(
        "kinds-leader", "Change of the leader", "changes a second", "higher", reference=OURS,
        classes=classes("turnstile::leader", "LeaderLatch"),
        about="Each of 8 processes leaves as soon as it leads, and takes part again.",
        aims=[Aim("≥ 2 × Curator", "8 participants", 2, False, CURATOR)])
    names = bench.names_that_can("readwrite")
    with bench.crew(names, SESSIONS) as crew:
        for case, (sessions, threads, writes) in SHARED.items():
            _count(bench, names, crew, sessions, shared, case, "readwrite", threads, writes)
        for case, (threads, limit) in PERMITS.items():
            _count(bench, names, crew, SESSIONS, permits, case, "permit", threads, limit)
        _count(bench, names, crew, SESSIONS, leaders, "8 participants", "lead")
    return [shared, permits, leaders]


def _count(bench, names, crew, sessions, rates, case, command, *words):
    paths = {name: bench.new_path() for name in names}

    def window(name):
        answers = bench.window(crew[name][:sessions], command, paths[name], *words)
        return sum(answer["grants"] for answer in answers) / bench.settings.window_seconds

    bench.warm_up_and_sample(rates, case, names, bench.settings.window_rounds, window,
                             lambda name: rates.add(case, name, window(name)), warm_up_rounds=WARM_UP)
