# SPDX-License-Identifier: Apache-2.0
"""Measures an uncontended lock on each kind of server: in memory, and with each write synced to a disk."""

import statistics

from driver.compared import LOCAL, PG_ROW, POSTGRESQL, SQLITE, SQLITE_ROW
from driver.kinds import ON_REDIS, REDIS
from driver.result import Aim

MEMORY = "data in memory"
DISK = "data on disk, synced"


def measure(bench):
    times = bench.new_result(
        "servers-uncontended", "Uncontended acquire and release", "µs a cycle", "lower", scale="log",
        reference=bench.beside,
        about="One session of one thread acquires and releases a lock, and waits until the server has confirmed the "
              "release.",
        aims=[Aim("on Redis ≤ 2.2 × SET NX PX", case, 2.2, True, REDIS, of=ON_REDIS) for case in (MEMORY, DISK)] +
             [Aim("on PostgreSQL ≤ 1.5 × insert and delete of a row", case, 1.5, True, PG_ROW, of=POSTGRESQL)
              for case in (MEMORY, DISK)] +
             [Aim("on SQLite ≤ 3 × insert and delete of a row", case, 3, True, SQLITE_ROW, of=SQLITE)
              for case in (MEMORY, DISK)])
    names = bench.names_that_can("cycle")
    settings = bench.settings
    _cycle(bench, times, MEMORY, names, settings.warm_up, settings.rounds, settings.cycles)
    with bench.on_disk():
        # During the warm-up SQLite's log file reaches its full size, and SQLite then writes from the start of that file
        # again. Until then the file grows, and each sync takes longer.
        _cycle(bench, times, DISK, [name for name in names if name != LOCAL], 8 * settings.disk_cycles,
               settings.disk_rounds, settings.disk_cycles)
    return [times]


def _cycle(bench, times, case, names, warm_up, rounds, count):
    with bench.apart(names) as under, bench.crew(names, under=under) as crew:
        paths = {name: bench.new_path() for name in names}

        def cycles(name, number):
            (peer,) = crew[name]
            return peer.ask("cycle", paths[name], number)

        bench.warm_up_and_sample(times, case, names, rounds, lambda name: cycles(name, warm_up),
                                 lambda name: times.add(case, name, statistics.median(cycles(name, count)["us"])))
