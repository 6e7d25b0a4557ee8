# SPDX-License-Identifier: Apache-2.0
"""Measures eight sessions, each in a separate process, that take and release one lock without a pause."""

from driver.compared import LOCAL, ON_EACH, REDIS_PY, REDIS_TURNS
from driver.kinds import ON_REDIS, OURS
from driver.result import Aim

from measures.contended import contend
from measures.servers_uncontended import DISK, MEMORY

SESSIONS = 8


def measure(bench):
    rates = bench.new_result(
        "servers-contended", f"{SESSIONS} sessions at one lock", "grants a second", "higher", reference=bench.beside,
        scale="log",
        about="Turnstile does not wait until the server has confirmed a release. SET NX PX, redis-py's Lock and flock "
              "have no queue, so the last holder mostly gets the lock again.",
        aims=[Aim("on Redis ≥ 5 × redis-py's Lock", MEMORY, 5, False, REDIS_PY, of=ON_REDIS, floor=REDIS_TURNS),
              Aim("on Redis ≥ 3 × Turnstile on ZooKeeper", MEMORY, 3, False, OURS, of=ON_REDIS, floor=REDIS_TURNS)])
    shares = bench.new_result(
        "servers-shares", f"Fairness of {SESSIONS} sessions",
        "grants of the least served session ÷ grants of the most served session",
        "higher", shown=[MEMORY],
        about="The value is 1 if every session got the same number of grants.",
        aims=[Aim(f"{bench.labels[name].partition(':')[0]} ≥ 0.9", case, 0.9, False, of=name)
              for name in ON_EACH if name != LOCAL and bench.has(name) for case in (MEMORY, DISK)])
    names = [name for name in bench.names_that_can("contend") if name != LOCAL]
    with bench.crew(names, SESSIONS) as crew:
        contend(bench, names, crew, SESSIONS, rates, shares, MEMORY)
    with bench.on_disk(), bench.crew(names, SESSIONS) as crew:
        contend(bench, names, crew, SESSIONS, rates, shares, DISK, min(bench.settings.window_rounds, 3))
    return [rates, shares]
