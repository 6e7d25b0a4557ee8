# SPDX-License-Identifier: Apache-2.0
"""Measures the time to empty a queue of waiters in one process with shared sessions, depending on its length."""

from driver.kinds import OURS
from driver.peer import PeerError
from driver.result import Aim

MOST_REPEATED = 200  # a short queue is emptied several times, up to this many hand-overs for each value
SECONDS = 300  # limit for one queue, including its filling
# The peer that this measure leaves out. Each waiter of this peer has a thread, which polls every millisecond. 1,000
# such threads would keep all processors busy for minutes.
WITHOUT_QUEUE = "redis"


def case_of(size):
    return f"{size:,} waiters"


def measure(bench):
    settings = bench.settings
    sizes = settings.drain_sizes
    rates = bench.new_result(
        "drain", "Draining a queue", "hand-overs a second", "higher", shape="lines",
        reference=OURS, shown=[case_of(size) for size in sizes if size != 100],
        about="All waiters are in one process, and each waiter releases the lock as soon as it has the lock. Curator "
              "has a thread for each waiter.",
        aims=[Aim(f"≥ 0.9 × the value with {sizes[0]} waiters", case_of(size), 0.9, False,
                  versus_case=case_of(sizes[0]))
              for size in sizes if size >= 1000 and size != 3000])
    filling = bench.new_result(
        "filling", "Filling a queue", "µs per waiter", "lower", reference=OURS, shape="lines", scale="log", shown=[],
        about="The time runs from the first waiter's call until the servers have the requests of all waiters.")
    names = [name for name in bench.names_that_can("drain") if name != WITHOUT_QUEUE]
    queues = [(name, size) for size in sizes for name in names
              if name == OURS or size <= settings.curator_waiters]
    with bench.crew(names) as crew:
        drain_in_turns(bench, queues, crew, rates, filling)
    return [rates, filling]


def drain_in_turns(bench, queues, crew, rates, filling):
    warm = set()

    def drain(name, size):
        return crew[name][0].ask("drain", bench.new_path(), size, seconds=SECONDS)

    def sample(queue):
        name, size = queue
        if queue not in warm:
            drain(name, size)
            warm.add(queue)
        repeated = max(1, MOST_REPEATED // size)
        answers = [drain(name, size) for _ in range(repeated)]
        rates.add(case_of(size), name, size * repeated / (sum(one["us"] for one in answers) / 1e6))
        filling.add(case_of(size), name, sum(one["enqueue_us"] for one in answers) / (size * repeated))

    for (name, size), failure in bench.in_turns(bench.settings.drain_rounds, queues, sample):
        rates.fail(case_of(size), name, failure)
        filling.fail(case_of(size), name, failure)
        crew[name][0].end(kill=True)
        warm.difference_update({queue for queue in warm if queue[0] == name})
        try:
            crew[name][0] = bench.start(name)
        except PeerError as worse:
            bench.say(f"  {name} cannot be started again: {worse}")
