# SPDX-License-Identifier: Apache-2.0
"""Measures the client's memory for each acquire that stays pending, and checks that cancelling leaves nothing. Measures
only the library, because no other peer waits without a thread.

Persistent znodes of peer "bare" hold the locks, so that no session owns too many.
"""

import time

from driver.kinds import BARE, OURS
from driver.peer import PeerError
from driver.result import Aim

POLL_SECONDS = 0.2
SAME_POLLS = 5  # polls with equal results, after which no request is in progress
STEADY = 0.0001  # part by which the heap may vary, because confirmations come and go


def _memory_case(paths):
    return "on as many paths" if paths != 1 else "on one path"


def measure(bench):
    settings = bench.settings
    memory = bench.new_result(
        "memory", "Client memory for each pending acquire", "bytes for each acquire", "lower", shape="",
        shown=["on as many paths, heap", "on one path, heap"],
        about=f"One client has {settings.pending:,} pending acquires on as many paths, and then "
              f"{settings.pending_on_one_path:,} on one path. The values are the growth of the heap, without the mutex "
              "objects.",
        aims=[Aim("≤ 2,048 bytes", "on as many paths, heap", 2048, True),
              Aim("≤ 2,048 bytes", "on one path, heap", 2048, True)])
    cancelling = bench.new_result(
        "cancelling", "Cancelling the pending acquires",
        "seconds, numbers or bytes, as the column says", "lower", shape="", shown=[],
        about="\"Left\" counts the znodes and watches that remain at the servers.",
        aims=[Aim("nothing left", f"{case}, left", 0, True) for case in
              ("on as many paths", "on one path")])
    if bench.has(OURS):
        for count, paths in ((settings.pending, settings.pending), (settings.pending_on_one_path, 1)):
            try:
                _pend(bench, count, paths, memory, cancelling)
            except PeerError as failure:
                memory.fail(_memory_case(paths) + ", heap", OURS, str(failure))
    return [memory, cancelling]


def _pend(bench, count, paths, memory, cancelling):
    case = _memory_case(paths)
    bench.say(f"  {count:,} {case}")
    folder = bench.new_path()
    with bench.crew([BARE, OURS]) as crew:
        (bare,), (ours,) = crew[BARE], crew[OURS]
        bare.ask("occupy", folder, paths, seconds=bench.settings.pending_seconds)
        ours.ask("cycle", bench.new_path(), bench.settings.warm_up)
        before = _servers_have(bench)
        heap = ours.ask("heap")
        started = time.monotonic()
        mutex_bytes = ours.ask("pend", folder, count, paths)["mutex_bytes"]
        most = _wait_for_watches(bench, ours, count)
        cancelling.add(f"{case}, seconds to queue", OURS, time.monotonic() - started)
        full = _settled(bench, ours)
        memory.add(f"{case}, heap", OURS, (full["heap"] - heap["heap"] - mutex_bytes) / count)
        memory.add(f"{case}, most while they queue", OURS,
                   (max(most, full["heap"]) - heap["heap"] - mutex_bytes) / count)
        memory.add(f"{case}, resident", OURS, (full["rss"] - heap["rss"]) / count)
        memory.add(f"{case}, mutex object", OURS, mutex_bytes / paths)
        answer = ours.ask("cancel", seconds=bench.settings.pending_seconds)
        cancelling.add(f"{case}, seconds to cancel", OURS, answer["us"] / 1e6)
        cancelling.add(f"{case}, left", OURS, _left(bench, before))
        heap_left = ours.ask("heap")["heap"] - heap["heap"] - mutex_bytes
        cancelling.add(f"{case}, heap left", OURS, heap_left / count)


def _servers_have(bench):
    counters = bench.zookeeper.counters()
    # Each session keeps a znode, its session mark. This function subtracts these znodes.
    return {"znodes": counters["zk_znode_count"] - counters["zk_num_alive_connections"],
            "watches": counters["zk_watch_count"]}


def _wait_for_watches(bench, ours, wanted):
    """Waits until the servers have `wanted` watches. Returns the peer's largest heap during the wait. The caller does not
    add the watches from before the wait, because the servers may remove those with the empty folders of free locks.
    """
    until = time.monotonic() + bench.settings.pending_seconds
    most = 0
    while (now := _servers_have(bench)["watches"]) < wanted:
        most = max(most, ours.ask("heap")["heap"])  # this command also reports an acquire that has ended
        if time.monotonic() > until:
            raise PeerError(f"{now:,} of {wanted:,} watches after {bench.settings.pending_seconds} s")
        time.sleep(POLL_SECONDS)
    return most


def _settled(bench, ours):
    """Returns the heap after the client has read the servers' answers. After many requests at once, many thousand
    answers wait for the client.
    """
    until = time.monotonic() + bench.settings.pending_seconds
    same, last = 0, ours.ask("heap")
    while same < SAME_POLLS and time.monotonic() < until:
        time.sleep(POLL_SECONDS)
        now = ours.ask("heap")
        same = same + 1 if abs(now["heap"] - last["heap"]) <= last["heap"] * STEADY else 0
        last = now
    return last


def _left(bench, before):
    """Waits until the asynchronous removals have ended. Returns how many znodes and watches they have left."""
    last = None
    while (now := _servers_have(bench)) != last:
        last = now
        time.sleep(5 * POLL_SECONDS)
    return max(0, now["znodes"] - before["znodes"]) + max(0, now["watches"] - before["watches"])
