# SPDX-License-Identifier: Apache-2.0
"""Measures the time from the SIGKILL of a holder to the grant of the next waiter."""

import time
from concurrent.futures import ThreadPoolExecutor

from driver.compared import LOCAL, MARIADB, POSTGRESQL
from driver.kinds import ON_REDIS, OURS
from driver.peer import PeerError

GUARDED = "with a guardian"
SETTLE_SECONDS = 0.2  # seconds until the waiter has queued


def measure(bench):
    seconds = bench.settings.session_ms / 1000
    case = f"session timeout or lease {seconds:.0f} s"
    taken = bench.new_result(
        "servers-crash", "Hand-over after a crash", "ms from the kill to the next grant", "lower", scale="log",
        about="SIGKILL ends the holder's process while another process waits. A lock with a lease is free when its "
              "lease ends; ZooKeeper expires sessions once a tick (2 s). The other locks are free when the server "
              "or the kernel notices the closed connection. A [guardian](../how-to/guardian.md) closes the "
              "sessions of dead processes.")
    names = [name for name in bench.names_that_can("hold") if name != LOCAL]
    kinds = {name: bench.kind(name) for name in names}
    trials = [(case, name, [kind.lease.format(bench.settings.session_ms)] if kind.lease else [])
              for name, kind in kinds.items()]
    guarded = [(f"{case}, {GUARDED}", name, [f"session={bench.settings.session_ms}", f"guardian={bench.guardian}"])
               for name in (OURS, ON_REDIS, POSTGRESQL, MARIADB) if name in kinds]
    for _ in range(bench.settings.crash_rounds):
        _together(bench, taken, [trial for trial in trials if not taken.failed(trial[0], trial[1])])
        # With a guardian (a process that closes the sessions of dead processes), a hand-over takes only milliseconds.
        # Simultaneous trials could lengthen it, so each of these trials runs alone.
        for trial in guarded:
            if not taken.failed(trial[0], trial[1]):
                _together(bench, taken, [trial])
    return [taken]


def _together(bench, taken, trials):
    """Runs the trials at the same time. Their processes mostly wait, so they do not disturb each other. The trials
    start their processes one after the other.
    """
    started = []
    for case, name, words in trials:
        try:
            started.append((case, name, bench.start(name, words=words), bench.start(name), bench.new_path()))
        except PeerError as failure:
            taken.fail(case, name, str(failure))
    with ThreadPoolExecutor(max_workers=len(started) or 1) as pool:
        running = [(case, name, pool.submit(_trial, holder, waiter, path))
                   for case, name, holder, waiter, path in started]
        for case, name, trial in running:
            try:
                taken.add(case, name, trial.result())
            except PeerError as failure:
                taken.fail(case, name, str(failure))


def _trial(holder, waiter, path):
    try:
        holder.ask("hold", path)
        asynchronous = "queue" in waiter.commands
        if asynchronous:
            waiter.ask("queue", path)
        else:
            waiter.send("await", path)
        time.sleep(SETTLE_SECONDS)
        killed = time.time()
        holder.end(kill=True)
        granted = (waiter.ask("granted") if asynchronous else waiter.receive())["granted_at"]
        return granted / 1e3 - killed * 1e3
    finally:
        holder.end(kill=True)
        waiter.end()
