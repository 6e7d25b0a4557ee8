# SPDX-License-Identifier: Apache-2.0
"""Measures a queue of waiters in one process, on each kind of server."""

from measures.drain import drain_in_turns


def measure(bench):
    (size,) = bench.settings.drain_sizes
    rates = bench.new_result(
        "servers-queue", f"A queue of {size:,}", "hand-overs a second", "higher", scale="log", reference=bench.beside,
        about="All waiters are in one process, and each releases at once. turnstile waits asynchronously in one "
              "client. The others have a thread for each waiter and, except flock, a connection.")
    filling = bench.new_result(
        "servers-filling", "Filling that queue", "µs per waiter", "lower", shape="",
        about="turnstile: until the server has the requests of all waiters. Others: until all waiters have sent "
              "theirs, on existing connections.")
    names = bench.names_that_can("drain")
    with bench.crew(names) as crew:
        drain_in_turns(bench, [(name, size) for name in names], crew, rates, filling)
    return [rates, filling]
