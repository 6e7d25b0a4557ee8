# SPDX-License-Identifier: Apache-2.0
"""Measures many sessions that take and release many locks: the largest rate of grants, and the time of an acquire at
half the largest rate.
"""

import statistics

from driver.kinds import BARE_ASYNC, OURS
from driver.result import Aim

PROCESSES = 8
SESSIONS = 8  # sessions of each process
SLOTS = 4  # acquires in progress of each session at saturation
LOCKS = 1000
UNCONTENDED = "uncontended"
SKEWED = "skewed"
CASES = {UNCONTENDED: "own", SKEWED: "zipf"}  # the peers' names of the cases, see peers/crowd.hpp
PARTS = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}
OF_THE_MOST = 0.5  # the times of acquires are measured at this fraction of the largest load


def measure(bench):
    rates = bench.new_result(
        "saturation", "Saturation", "grants a second", "higher", reference=OURS,
        about=f"{PROCESSES * SESSIONS} sessions in {PROCESSES} processes use {LOCKS:,} locks; each session always "
              f"has {SLOTS} acquires in progress. Uncontended: each session has separate locks. Skewed: the "
              "sessions share all locks, and every eighth acquire wants the first lock.",
        aims=[Aim("≥ 2 × bare, asynchronous", UNCONTENDED, 2, False, BARE_ASYNC),
              Aim("≥ 1.2 × bare, asynchronous", SKEWED, 1.2, False, BARE_ASYNC)])
    processor = bench.new_result(
        "saturation_processor", "Clients' processor time when saturated", "µs a grant", "lower", reference=OURS,
        shown=[], about="All threads of the clients' processes count.")
    requests = bench.new_result(
        "saturation_requests", "Requests a grant when saturated",
        "packets that the servers received for a grant", "lower", shape="", shown=[],
        about="The servers counted the packets.")
    times = bench.new_result(
        "saturation_acquire", "An acquire at half the saturated rate",
        "µs from the planned start of an acquire to its grant", "lower", reference=OURS, scale="log",
        shown=[f"{UNCONTENDED}, p50", f"{SKEWED}, p50", f"{SKEWED}, p99"],
        about="The section \"Saturation\" describes the sessions and locks. Acquires begin at random instants, at "
              f"{OF_THE_MOST} × the rate of {bench.labels[OURS]} there, whether or not earlier acquires have ended.")
    able = bench.names_that_can("saturate")
    names = [kind.name for kind in bench.kinds if kind.name in able and kind.backend == "zookeeper"]
    with bench.crew(names, PROCESSES) as crew:
        folders = {name: bench.new_path() for name in names}
        for folder in folders.values():
            crew[BARE_ASYNC][0].ask("make", folder, LOCKS)
        load = Load(bench, crew, folders)
        for case in CASES:
            _saturate(bench, names, load, case, rates, processor, requests)
            _pace(bench, names, load, case, rates, times)
    return [rates, processor, requests, times]


class Load:
    """Runs a window in all processes of a peer at the same time."""

    def __init__(self, bench, crew, folders):
        self._bench = bench
        self._crew = crew
        self._folders = folders

    def run(self, name, command, case, amount):
        """Returns the processes' answers. `amount` is for "saturate" the number of slots of each session, and for
        "pace" the number of acquires a second of each process.
        """
        words = [(command, self._folders[name], LOCKS, CASES[case], process, PROCESSES, SESSIONS, amount)
                 for process in range(PROCESSES)]
        return self._bench.window_of_each(self._crew[name], words)

    def processor_seconds(self, name):
        return sum(peer.processor_seconds() for peer in self._crew[name])


def _saturate(bench, names, load, case, rates, processor, requests):
    def count(name):
        received, _ = bench.zookeeper.connections()
        grants = sum(answer["all"] for answer in load.run(name, "saturate", case, SLOTS))
        received_after, _ = bench.zookeeper.connections()
        requests.add(case, name, (received_after - received) / grants)

    def sample(name):
        used = load.processor_seconds(name)
        answers = load.run(name, "saturate", case, SLOTS)
        used = load.processor_seconds(name) - used
        rates.add(case, name, sum(answer["grants"] for answer in answers) / bench.settings.window_seconds)
        processor.add(case, name, used * 1e6 / sum(answer["all"] for answer in answers))

    for name, failure in bench.in_turns(2, names, lambda name: load.run(name, "saturate", case, SLOTS)):  # warm-up
        rates.fail(case, name, failure)
    alive = [name for name in names if not rates.failed(case, name)]
    for name, failure in bench.in_turns(1, alive, count):
        rates.fail(case, name, failure)
    for name, failure in bench.in_turns(bench.settings.window_rounds, alive, sample):
        rates.fail(case, name, failure)


def _pace(bench, names, load, case, rates, times):
    most = rates.values(case, OURS)
    if not most:
        return
    rate = statistics.median(most) * OF_THE_MOST
    columns = {part: f"{case}, {part}" for part in PARTS}
    times.remarks.append(f"{case.capitalize()}: {rate:,.0f} acquires a second begin.")
    able = []
    for name in names:
        own = rates.values(case, name)
        if own and statistics.median(own) < rate:
            times.fail(columns["p50"], name, f"saturated below that rate, with {statistics.median(own):,.0f}")
        elif own:
            able.append(name)

    def sample(name):
        answers = load.run(name, "pace", case, max(round(rate / PROCESSES), 1))
        found = sorted(time for answer in answers for time in answer["us"])
        for part, share in PARTS.items():
            times.add(columns[part], name, found[int(len(found) * share)])

    bench.warm_up_and_sample(times, columns["p50"], able, bench.settings.window_rounds,
                             lambda name: load.run(name, "pace", case, 100), sample)
