# SPDX-License-Identifier: Apache-2.0
"""Counts the cost of a cycle on each kind of server, by the server's counters."""

from driver.compared import SQLITE
from driver.peer import PeerError

UNCONTENDED = "uncontended"
CONTENDED = "2 sessions"
FEW = 10  # cycles of a short run; its cost is subtracted, so that creating the session and the path does not count


def measure(bench):
    counts = bench.new_result(
        "servers-counts", "Requests a cycle", "counts per cycle", "lower", shape="",
        shown=["uncontended, requests", "uncontended, log syncs", "2 sessions, requests"],
        about="The data is on disk. On Redis a request is a command of the client. On SQLite a log sync is a "
              "transaction that writes.")
    with bench.on_disk():
        for name in bench.names_that_can("cycle"):
            if not hasattr(bench.server_of(name), "counts") and name != SQLITE:
                continue
            try:
                _uncontended(bench, counts, name)
                if name == SQLITE or "contend" in bench.commands_of(name):
                    _contended(bench, counts, name)
            except PeerError as failure:
                counts.fail(UNCONTENDED, name, str(failure))
    return [counts]


def _add(counts, case, name, found, cycles):
    for what, number in found.items():
        counts.add(f"{case}, {what}", name, number / cycles)


def _difference(after, before):
    return {what: after[what] - before.get(what, 0) for what in after}


def _counted_by(bench, name, crew):
    """Returns the present counters. SQLite's counters are in the processes."""
    if name == SQLITE:
        all_of_them = [peer.ask("counts") for peer in crew]
        return {"requests": sum(one["statements"] for one in all_of_them),
                "transactions": sum(one["transactions"] for one in all_of_them),
                "log syncs": sum(one["writes"] for one in all_of_them)}
    return bench.server_of(name).counts()


def _asked(bench, name, found):
    """Separates Redis's counts: commands that the client sends (requests), and commands that its scripts run."""
    asks = bench.kind(name).asks
    if not asks:
        return found
    requests = sum(found.get(command, 0) for command in asks)
    return {"requests": requests, "commands in scripts": sum(found.values()) - requests}


def _life(bench, name, sessions, act):
    """Returns by how much the server's counters grew during the lives of the processes, and the number of cycles."""
    server = bench.server_of(name)
    counting = getattr(server, "counting", lambda _: None)
    counting(True)
    before = {} if name == SQLITE else server.counts()
    with bench.crew([name], sessions) as crew:
        cycles = act(crew[name])
        if name == SQLITE:
            return _counted_by(bench, name, crew[name]), cycles
    counting(False)
    return _difference(server.counts(), before), cycles


def _uncontended(bench, counts, name):
    path = bench.new_path()

    def cycle(count):
        def act(peers):
            peers[0].ask("cycle", path, FEW)
            peers[0].ask("cycle", path, count)
            return count
        return act

    few, _ = _life(bench, name, 1, cycle(FEW))
    many, cycles = _life(bench, name, 1, cycle(bench.settings.cycles))
    _add(counts, UNCONTENDED, name, _asked(bench, name, _difference(many, few)), cycles - FEW)


def _contended(bench, counts, name):
    path = bench.new_path()

    def window(count):
        def act(peers):
            peers[0].ask("cycle", path, FEW)
            return sum(answer["all"] for answer in bench.window(peers, "contend", path)) if count else 0
        return act

    few, _ = _life(bench, name, 2, window(0))
    many, cycles = _life(bench, name, 2, window(1))
    if cycles:
        _add(counts, CONTENDED, name, _asked(bench, name, _difference(many, few)), cycles)
