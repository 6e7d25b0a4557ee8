# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of TLS: an uncontended lock at a server without TLS, and at a server with a port only for TLS, one
after the other.
"""

import statistics

from driver.kinds import ON_TLS, OURS

CASE = "release confirmed"


def measure(bench):
    times = bench.new_result(
        "tls", "What TLS costs", "µs a cycle", "lower", reference=OURS,
        about="One session of one thread takes and releases a free lock.")
    processor = bench.new_result(
        "tls_processor", "Client's processor time with TLS", "µs a cycle", "lower", reference=OURS, shown=[],
        about="All threads of the client's process count.")
    names = [OURS, ON_TLS]
    with bench.apart(names) as under, bench.crew(names, under=under) as crew:
        paths = {name: bench.new_path() for name in names}

        def sample(name):
            (peer,) = crew[name]
            used = peer.processor_seconds()
            answer = peer.ask("cycle", paths[name], bench.settings.cycles)
            processor.add(CASE, name, (peer.processor_seconds() - used) * 1e6 / bench.settings.cycles)
            times.add(CASE, name, statistics.median(answer["us"]))

        warm_up = bench.settings.warm_up
        bench.warm_up_and_sample(times, CASE, names, bench.settings.rounds,
                                 lambda name: crew[name][0].ask("cycle", paths[name], warm_up), sample)
    return [times, processor]
