# SPDX-License-Identifier: Apache-2.0
"""Measures a queue of waiters in one process, on each kind of server."""

from measures.drain import drain_in_turns


def measure(bench):
    (size,) = bench.settings.drain_sizes
    rates = bench.new_result(
        "servers-queue", "Draining a queue", "hand-overs a second", "higher", scale="log", reference=bench.beside,
        about="All waiters are in one process, and each waiter releases the lock as soon as it has the lock. "
              "Turnstile's waiters share one client. Every other lock has a thread for each waiter.")
    filling = bench.new_result(
        "servers-filling", f"Filling a queue of {size:,}", "µs per waiter to enter the queue", "lower", shape="",
        shown=[],
        about="The time ends when the waiters have sent their requests.")
    names = bench.names_that_can("drain")
    with bench.crew(names) as crew:
        drain_in_turns(bench, [(name, size) for name in names], crew, rates, filling)
    return [rates, filling]
