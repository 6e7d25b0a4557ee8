# SPDX-License-Identifier: Apache-2.0
"""Measures a retained lock, which a process keeps after a release: how often the process can take the lock again
without a request, and how long the process takes to pass the lock on when another client queues.
"""

import time

from driver.kinds import BARE, OURS, SHARED
from driver.result import Aim

PAIRS = "one thread"
SERVERS = "requests a second meanwhile"
ORDINARY = "ordinary hand-over"
IDLE_SECONDS = 0.01  # pause before each hand-over, so that the earlier one can finish its work
IDLE = "from an idle retained holder"


def measure(bench):
    rates = bench.new_result(
        "retained", "Taking a retained lock again", "pairs of an acquire and a release a second", "higher", shape="",
        shown=[],
        about="One thread acquires and releases the lock without a pause.",
        aims=[Aim("≥ 1,000,000 a second", PAIRS, 1e6, False, of=SHARED)])
    ways = bench.new_result(
        "gives-way", "Hand-over to another process", "µs until the grant in the second process", "lower", shape="",
        reference=OURS, shown=[],
        about="Before each hand-over all processes are idle.",
        aims=[Aim("≤ 2 × the value of an ordinary hand-over", IDLE, 2, True, versus_case=ORDINARY, floor=BARE)])
    if bench.has(OURS):
        _pairs(bench, rates)
        _gives_way(bench, ways)
    return [rates, ways]


def _pairs(bench, rates):
    with bench.crew([SHARED]) as crew:
        (peer,) = crew[SHARED]
        path = bench.new_path()
        bench.window([peer], "reacquire", path)  # warm-up
        for _ in range(bench.settings.window_rounds):
            before, _ = bench.zookeeper.connections()
            (answer,) = bench.window([peer], "reacquire", path)
            after, _ = bench.zookeeper.connections()
            seconds = bench.settings.window_seconds
            rates.add(PAIRS, SHARED, answer["grants"] / seconds)
            rates.add(SERVERS, SHARED, (after - before) / seconds)


def _gives_way(bench, ways):
    with bench.crew([OURS, BARE], 2) as crew, bench.crew([SHARED, BARE]) as idlers:
        keepers = {OURS: (idlers[SHARED][0], "take"), BARE: (idlers[BARE][0], "keep")}
        paths = {name: bench.new_path() for name in crew}

        def sample(name):
            holder, comer = crew[name]
            keeper, keeps = keepers[name]
            path = paths[name]
            holder.ask("hold", path)
            comer.ask("queue", path)
            time.sleep(IDLE_SECONDS)
            released = holder.ask("give")["at"]
            ordinary = comer.ask("granted")["granted_at"] - released
            keeper.ask(keeps, path)
            time.sleep(IDLE_SECONDS)
            return ordinary, comer.ask("take", path)["us"]

        def record(name):
            ordinary, idle = sample(name)
            ways.add(ORDINARY, name, ordinary)
            ways.add(IDLE, name, idle)

        def give_way(rounds, how):
            alive = [name for name in crew if not ways.failed(IDLE, name)]
            for name, failure in bench.in_turns(rounds, alive, how):
                ways.fail(ORDINARY, name, failure)
                ways.fail(IDLE, name, failure)

        give_way(bench.settings.rounds, sample)  # warm-up
        give_way(bench.settings.rounds * 5, record)
