# SPDX-License-Identifier: Apache-2.0
"""Counts requests and watch events for each cycle, by the servers' counters."""

from driver.kinds import OURS
from driver.peer import PeerError
from driver.result import Aim

UNCONTENDED = "uncontended"
CONTENDED = "2 sessions"


def measure(bench):
    requests = bench.new_result(
        "requests", "Requests a cycle", "packets that the servers received in a cycle", "lower",
        about="Pings and confirmations count.",
        aims=[Aim("≤ 2 packets received", UNCONTENDED, 2.05, True), Aim("≤ 5 packets received", CONTENDED, 5.05, True)])
    events = bench.new_result(
        "events", "Watch events a cycle",
        "packets that the servers sent in a cycle without a request", "lower", shape="", shown=[],
        about="Each answer to a request is subtracted.",
        aims=[Aim("none", UNCONTENDED, 0.01, True), Aim("≤ 1", CONTENDED, 1.01, True)])
    able = bench.names_that_can("cycle")
    for kind in bench.kinds:
        if kind.backend != "zookeeper" or kind.name not in able:
            continue
        try:
            _uncontended(bench, kind.name, requests, events)
            if "contend" in bench.commands_of(kind.name):
                _contended(bench, kind.name, requests, events)
        except PeerError as failure:
            requests.fail(CONTENDED, kind.name, str(failure))
    return [requests, events]


def _count(bench, case, name, act, requests, events):
    received, sent = bench.zookeeper.connections()
    cycles = act()
    received_after, sent_after = bench.zookeeper.connections()
    received, sent = received_after - received, sent_after - sent
    requests.add(case, name, received / cycles)
    events.add(case, name, (sent - received) / cycles)


def _uncontended(bench, name, requests, events):
    with bench.crew([name]) as crew:
        (peer,) = crew[name]
        path = bench.new_path()
        peer.ask("cycle", path, 10)  # creates the folder of the path

        def act():
            peer.ask("cycle", path, bench.settings.cycles)
            return bench.settings.cycles

        _count(bench, UNCONTENDED, name, act, requests, events)


def _contended(bench, name, requests, events):
    with bench.crew([name], 2) as crew:
        path = bench.new_path()
        bench.window(crew[name], "contend", path)  # creates the folder of the path

        def act():
            return sum(answer["all"] for answer in bench.window(crew[name], "contend", path))

        _count(bench, CONTENDED, name, act, requests, events)
