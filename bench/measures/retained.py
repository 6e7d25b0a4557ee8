"""A lock that is retained: taken again with no request, and given up when somebody else comes."""

from driver.kinds import OURS, SHARED
from driver.result import Aim

PAIRS = "one thread"
SERVERS = "requests a second meanwhile"
ORDINARY = "ordinary hand-over"
IDLE = "from an idle retained holder"


def measure(bench):
    rates = bench.new_result(
        "retained", "Taking a retained lock again", "pairs a second", "higher", shape="",
        about="One thread takes the lock and gives it up, all the time. The requests are those that the servers "
              "counted in the same time, for all pairs: confirmations and keep-alives.",
        aims=[Aim("≥ 1,000,000", PAIRS, 1e6, False, of=SHARED)])
    ways = bench.new_result(
        "gives-way", "Giving way", "µs", "lower", shape="",
        about="A hand-over between two processes: from the release to the other's grant; and, of an idle retained "
              "holder, from the other's call to its grant, which has its own create in it.",
        aims=[Aim("≤ 2 × an ordinary hand-over", IDLE, 2, True, versus_case=ORDINARY)])
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
    with bench.crew([OURS, SHARED]) as crew, bench.crew([OURS]) as more:
        (holder,), (idler,), (comer,) = crew[OURS], crew[SHARED], more[OURS]
        path = bench.new_path()
        for _ in range(bench.settings.rounds * 5):
            holder.ask("hold", path)
            comer.ask("queue", path)
            released = holder.ask("give")["at"]
            ways.add(ORDINARY, OURS, comer.ask("granted")["granted_at"] - released)
            idler.ask("take", path)  # and keeps it
            ways.add(IDLE, OURS, comer.ask("take", path)["us"])
