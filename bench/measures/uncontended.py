# SPDX-License-Identifier: Apache-2.0
"""Measures an uncontended lock that is taken and released: with a confirmed release, and with a release for which the
client does not wait. Also measures the client's processor time.
"""

import statistics

from driver.kinds import BARE, BARE_NO_LIST, ON_REDIS, OURS, REDIS
from driver.result import Aim

CONFIRMED = "release confirmed"
NOT_WAITED = "release not waited for"


def measure(bench):
    times = bench.new_result(
        "uncontended", "Uncontended acquire and release", "µs a cycle", "lower", reference=OURS,
        about="One session of one thread takes and releases a free lock. A client without an asynchronous release has "
              "one value in both columns.",
        aims=[Aim("≤ 0.85 × bare", CONFIRMED, 0.85, True, BARE, floor=BARE_NO_LIST),
              Aim("≤ 0.85 × Curator", CONFIRMED, 0.85, True, "curator"),
              Aim("faster than go-zookeeper", CONFIRMED, 1, True, "go-zookeeper"),
              Aim("≤ 0.9 × etcd", CONFIRMED, 0.9, True, "etcd", floor=BARE_NO_LIST),
              Aim("faster than kazoo", CONFIRMED, 1, True, "kazoo"),
              Aim("on Redis ≤ 2.2 × SET NX PX", CONFIRMED, 2.2, True, REDIS, of=ON_REDIS),
              Aim("≤ 0.80 × bare", NOT_WAITED, 0.80, True, BARE, floor=BARE_NO_LIST),
              Aim("≤ 0.70 × Curator", NOT_WAITED, 0.70, True, "curator")])
    processor = bench.new_result(
        "processor", "Client's processor time, uncontended", "µs a cycle", "lower", reference=OURS, shown=[],
        about="All threads of the client's process count.",
        aims=[Aim("≤ 0.95 × bare", CONFIRMED, 0.95, True, BARE, floor=BARE_NO_LIST)])
    names = bench.names_that_can("cycle")
    with bench.apart(names) as under, bench.crew(names, under=under) as crew:
        paths = {name: bench.new_path() for name in names}

        def cycles(name, count):
            (peer,) = crew[name]
            return peer.ask("cycle", paths[name], count)

        def sample(name):
            (peer,) = crew[name]
            used = peer.processor_seconds()
            answer = cycles(name, bench.settings.cycles)
            used = peer.processor_seconds() - used
            processor.add(CONFIRMED, name, used * 1e6 / bench.settings.cycles)
            times.add(CONFIRMED, name, statistics.median(answer["us"]))
            if "unlock" in peer.commands:
                answer = peer.ask("unlock", paths[name], bench.settings.cycles)
            times.add(NOT_WAITED, name, statistics.median(answer["us"]))

        bench.warm_up_and_sample(times, CONFIRMED, names, bench.settings.rounds,
                                 lambda name: cycles(name, bench.settings.warm_up), sample)
    return [times, processor]
