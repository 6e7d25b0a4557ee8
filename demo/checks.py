# SPDX-License-Identifier: Apache-2.0
"""Checks from the record of a run whether the lock kept its promises."""

import typing

from record import MILLISECOND, in_milliseconds, order_of


class Check(typing.NamedTuple):
    promise: str
    passed: bool
    numbers: str  # the counted or measured values


def _out_of_order(items, is_before):
    return sum(not is_before(a, b) for a, b in zip(items, items[1:]))


def hand_over_limit(run, cause):
    """Returns the longest time for which a waiter may wait for the lock of a killed or stopped holder. It is the
    session timeout, two ticks (ZooKeeper's servers look for expired sessions once a tick), and an allowance for the
    machine. With a guardian, or if the kernel reports the death, the waiter gets the lock in milliseconds. Then the
    limit is half of the session timeout: within that time no session expires by itself, because each client sends a
    message every third of the timeout.
    """
    if cause == "killed_guarded" or (cause != "stopped" and run.kind().freed_at_once):
        return run.session_timeout // 2
    return run.session_timeout + 2 * run.tick + 500 * MILLISECOND


def stock_is_empty(run):
    return Check("the stock is exactly 0", run.stock_left == 0, f"{run.stock_left} left")


def nothing_sold_twice(run):
    times = run.times_sold()
    twice, never = sum(n > 1 for n in times), times.count(0)
    return Check("each item is sold once", not twice and not never and len(run.sales) == len(times),
                 f"{len(run.sales)} sales of {len(times)} items; twice or more: {twice}, never: {never}")  # fmt: skip


def sales_in_order(run):
    bad = _out_of_order(run.sales, lambda a, b: order_of(a[2]) < order_of(b[2]) and b[0] == a[0] - 1)
    return Check("sales file in the order of the grants", not bad and bool(run.sales),
                 f"{len(run.sales)} lines; out of order: {bad}")  # fmt: skip


def one_holder_at_a_time(run):
    holds = run.holds()
    bad = _out_of_order(holds, lambda before, after: before.to <= after.begin)
    return Check("one holder at a time", not bad and bool(holds), f"{len(holds)} holds; overlaps: {bad}")


def grants_in_queue_order(run):
    holds = run.holds()
    bad = _out_of_order(holds, lambda a, b: a.sequence < b.sequence)
    ends = f"queue numbers {holds[0].sequence} to {holds[-1].sequence}" if holds else "none"
    return Check("grants in queue order", not bad and bool(holds), f"{len(holds)} grants, {ends}; overtaken: {bad}")


def tokens_increase(run):
    holds = run.holds()
    bad = _out_of_order(holds, lambda a, b: order_of(a.token) < order_of(b.token))
    ends = f"{holds[0].token} to {holds[-1].token}" if holds else "none"
    return Check("fencing tokens strictly increasing", not bad and bool(holds), f"{ends}; not larger: {bad}")


def killed_while_holding(run, cause):
    promise = {"killed": "one worker", "killed_guarded": "one with a guardian", "killed_again": "another worker"}[cause]
    killed = run.first(cause)
    held = killed and run.hold_at(killed.worker, killed.at)
    passed = bool(held) and held.end == "killed"
    numbers = f"worker {killed.worker}, token {held.token}" if passed else "it held nothing" if killed else "no kill"
    return Check(f"{promise} killed while it held", passed, numbers)


def handed_over_after(run, cause):
    words = {"stopped": "pause began", "killed": "kill", "killed_guarded": "kill with a guardian", "killed_again": "second kill"}
    promise = f"handed over after the {words[cause]}"
    found = run.hand_over(cause)
    if not found:
        return Check(promise, False, "no worker was granted the lock afterwards")
    _, after, took = found
    limit = hand_over_limit(run, cause)
    return Check(promise, took <= limit,
                 f"{in_milliseconds(took)} after SIG{'STOP' if cause == 'stopped' else 'KILL'}, to worker {after.worker}; "
                 f"limit {in_milliseconds(limit)}")  # fmt: skip


def server_kill_let_nobody_in(run):
    """Checks the worker that held the lock while the server was killed. It must have kept its hold and sold its item.
    Or its lease ended because the server was away for too long, and the worker was notified. No other worker may have
    been granted the lock before that.
    """
    promise = "nobody else came in while the server was away"
    killed, back = run.first("server_killed"), run.first("server_back")
    if not killed or not back:
        return Check(promise, False, "no server was killed")
    held = run.hold_at(killed.worker, killed.at)
    if not held or held.left < back.at:
        return Check(promise, False, "nothing was held all the time")
    alone = not any(other.token != held.token and held.begin < other.begin < held.to for other in run.holds())
    sold = any(token == held.token for _, _, token in run.sales)
    kept = held.end == "released"
    told = "held all the time, and sold" if kept else "was told that its lease was over"
    return Check(promise, alone and (sold if kept else held.end == "lost"),
                 f"worker {killed.worker} {told}; the server was away for {in_milliseconds(back.at - killed.at)}")  # fmt: skip


def paused_holder_was_told(run):
    promise = "paused holder woke to find its lease over"
    lost, after = run.after_pause("lost"), run.hand_over("stopped")
    if not lost or not after or not run.first("resumed"):
        return Check(promise, False, "valid() did not become false")
    spare = after[1].begin - lost.number
    return Check(promise, spare >= 0, f"valid() false; lease over {in_milliseconds(spare)} before the next grant")


def paused_write_was_refused(run):
    promise = "its late write refused by its token"
    refused = run.after_pause("refused")
    if not refused:
        return Check(promise, False, "no write was refused")
    sold = any(token == refused.token for _, _, token in run.sales)
    return Check(promise, not sold, f"token {refused.token}, the stock had seen {refused.text}")


def paused_worker_went_on(run):
    promise = "it went on selling in a new session"
    stopped = run.first("stopped")
    if not stopped:
        return Check(promise, False, "no worker was paused")
    held = run.hold_at(stopped.worker, stopped.at)
    later = [h for h in run.holds() if held and h.worker == stopped.worker and h.epoch > held.epoch]
    sales = sum(token in {h.token for h in later} for _, _, token in run.sales)
    epoch = later[-1].epoch if later else 0
    return Check(promise, sales > 0, f"worker {stopped.worker}, session {epoch}: {sales} sales")


def checks_with_lock(run):
    second = run.kind().second_blow
    blow = [server_kill_let_nobody_in(run)] if second == "server_killed" else [
        killed_while_holding(run, second), handed_over_after(run, second)]  # fmt: skip
    return [
        stock_is_empty(run), nothing_sold_twice(run), sales_in_order(run), one_holder_at_a_time(run),
        grants_in_queue_order(run), tokens_increase(run), killed_while_holding(run, "killed"),
        handed_over_after(run, "killed"), *blow, handed_over_after(run, "stopped"), paused_holder_was_told(run),
        paused_write_was_refused(run), paused_worker_went_on(run),
    ]  # fmt: skip


def oversells(run):
    """Checks a run without the lock, in which the same program must oversell. Otherwise the checks above prove nothing.
    """
    times = run.times_sold()
    return Check("control: without the lock it oversells", len(run.sales) > len(times) and max(times, default=0) > 1,
                 f"{len(run.sales)} sales of {len(times)} items; up to {max(times, default=0)} times the same")  # fmt: skip
