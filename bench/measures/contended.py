# SPDX-License-Identifier: Apache-2.0
"""Measures a lock that several sessions take and release without a pause. Each session has a separate process."""

from driver.kinds import BARE, ON_REDIS, OURS
from driver.result import Aim

SESSIONS = (2, 8)


def case_of(sessions):
    return f"{sessions} sessions"


def measure(bench):
    rates = bench.new_result(
        "contended", "Contended hand-overs", "grants a second", "higher", reference=OURS, scale="log",
        about="Each session is a process. A client does not wait for the release where its interface permits that. "
              "SET NX PX has no queue, so the last holder often gets the lock again.",
        aims=[Aim("≥ 1.6 × Curator", case_of(2), 1.6, False, "curator", floor=BARE),
              Aim("≥ 1.25 × Curator", case_of(8), 1.25, False, "curator", floor=BARE),
              Aim("≥ 0.97 × bare", case_of(2), 0.97, False, BARE),
              Aim("≥ 0.97 × bare", case_of(8), 0.97, False, BARE),
              Aim("≥ 1.1 × go-zookeeper", case_of(8), 1.1, False, "go-zookeeper"),
              Aim("on Redis ≥ 3 × Turnstile on ZooKeeper", case_of(8), 3, False, OURS, of=ON_REDIS)])
    shares = bench.new_result(
        "shares", "Fairness of contended hand-overs",
        "grants of the least served session ÷ grants of the most served session",
        "higher", shown=[],
        about="The value is 1 if every session got the same number of grants.")
    names = bench.names_that_can("contend")
    with bench.crew(names, max(SESSIONS)) as crew:
        for sessions in SESSIONS:
            contend(bench, names, crew, sessions, rates, shares)
    return [rates, shares]


def contend(bench, names, crew, sessions, rates, shares, case=None, rounds=None):
    case = case or case_of(sessions)
    paths = {name: bench.new_path() for name in names}

    def window(name):
        return bench.window(crew[name][:sessions], "contend", paths[name])

    def sample(name):
        grants = [answer["grants"] for answer in window(name)]
        rates.add(case, name, sum(grants) / bench.settings.window_seconds)
        shares.add(case, name, min(grants) / max(max(grants), 1))

    bench.warm_up_and_sample(rates, case, names, rounds or bench.settings.window_rounds, window, sample)
