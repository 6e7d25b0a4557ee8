# SPDX-License-Identifier: Apache-2.0
"""Measures one session that always has many acquires of free locks in progress: of locks that it takes again and again,
and of locks that it takes for the first time.
"""

from driver.kinds import BARE_ASYNC, OURS
from driver.result import Aim

SLOTS = 64
AGAIN_LOCKS = 1000
FIRST_LOCKS = 40_000  # more than a session takes in one window
FIRST_ROUNDS = 5  # at most; the servers keep the folders of each round until the end of the run
AGAIN = f"{AGAIN_LOCKS:,} locks, again and again"
FIRST = "each lock for the first time"
ONE_SESSION = (0, 1, 1)  # number of the process, processes, sessions of each process


def measure(bench):
    rates = bench.new_result(
        "burst", f"One session with {SLOTS} acquires in progress", "grants a second", "higher", reference=OURS,
        about="All locks are free. The session requests the next lock after each grant.",
        aims=[Aim("≥ 4 × bare, asynchronous", AGAIN, 4, False, BARE_ASYNC),
              Aim("≥ 2 × bare, asynchronous", FIRST, 2, False, BARE_ASYNC)])
    able = bench.names_that_can("saturate")
    names = [kind.name for kind in bench.kinds if kind.name in able and kind.backend == "zookeeper"]
    if BARE_ASYNC not in names:
        return [rates]
    with bench.crew(names) as crew:
        def new_folder(locks):
            folder = bench.new_path()
            crew[BARE_ASYNC][0].ask("make", folder, locks, seconds=bench.settings.pending_seconds)
            return folder

        def window(name, folder, locks):
            (answer,) = bench.window(crew[name], "saturate", folder, locks, "own", *ONE_SESSION, SLOTS)
            return answer["grants"] / bench.settings.window_seconds

        folders = {name: new_folder(AGAIN_LOCKS) for name in names}
        rounds = bench.settings.window_rounds

        def again(name):
            return window(name, folders[name], AGAIN_LOCKS)

        def first(name):
            return window(name, new_folder(FIRST_LOCKS), FIRST_LOCKS)

        bench.warm_up_and_sample(rates, AGAIN, names, rounds, again, lambda name: rates.add(AGAIN, name, again(name)))
        bench.warm_up_and_sample(rates, FIRST, names, min(rounds, FIRST_ROUNDS), first,
                                 lambda name: rates.add(FIRST, name, first(name)))
    return [rates]
