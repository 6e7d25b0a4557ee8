# SPDX-License-Identifier: Apache-2.0
"""A queue of waiters in one process, on each kind of server."""

from measures.drain import drain_in_turns


def measure(bench):
    (size,) = bench.settings.drain_sizes
    rates = bench.new_result(
        "servers-queue", f"A queue of {size:,}", "hand-overs a second", "higher", scale="log", reference=bench.beside,
        about="All waiters in one process; each releases as soon as it has the lock. Ours wait asynchronously in one "
              "client; the others have a thread and, but for flock, a connection each, as their waiters need.")
    filling = bench.new_result(
        "servers-filling", "Filling that queue", "µs a waiter", "lower", shape="",
        about="Ours: until the server has all of them. The others: until all have asked, which nobody can see arrive; "
              "their connections were made before.")
    names = bench.names_that_can("drain")
    with bench.crew(names) as crew:
        drain_in_turns(bench, [(name, size) for name in names], crew, rates, filling)
    return [rates, filling]
