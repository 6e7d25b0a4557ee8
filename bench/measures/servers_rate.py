# SPDX-License-Identifier: Apache-2.0
"""Measures the entries through one rate gate on each kind of server."""

from driver.compared import LOCAL

from measures.servers_contended import SESSIONS
from measures.servers_uncontended import DISK, MEMORY

ROUNDS = 3  # at most, because each round takes a window for each peer and case


def measure(bench):
    rates = bench.new_result(
        "servers-rate", "Entries through one rate_gate", "entries a second", "higher", scale="log",
        reference=bench.beside, shown=[f"1 session, {MEMORY}", f"{SESSIONS} sessions, {MEMORY}"],
        about="All sessions enter one `rate_gate`, whose limit is so high that no caller waits. \"INCR in a script\" "
              "keeps no order of arrival, and limits only the entries of each fixed period.",
        classes={"turnstile::mutex": "turnstile::rate_gate"})
    names = bench.names_that_can("enter")
    several = [name for name in names if name != LOCAL]
    with bench.crew(names) as crew:
        _count(bench, rates, f"1 session, {MEMORY}", names, crew)
    with bench.crew(several, SESSIONS) as crew:
        _count(bench, rates, f"{SESSIONS} sessions, {MEMORY}", several, crew)
    with bench.on_disk(), bench.crew(several) as crew:
        _count(bench, rates, f"1 session, {DISK}", several, crew)
    return [rates]


def _count(bench, rates, case, names, crew):
    paths = {name: bench.new_path() for name in names}

    def window(name):
        answers = bench.window(crew[name], "enter", paths[name])
        return sum(answer["grants"] for answer in answers) / bench.settings.window_seconds

    bench.warm_up_and_sample(rates, case, names, min(bench.settings.window_rounds, ROUNDS), window,
                             lambda name: rates.add(case, name, window(name)))
