#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that each check of the demo passes a correct history, and fails the wrong history for which the check exists.
Also tests what the pictures show of a run, and that their labels do not overlap.
"""

import dataclasses
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "demo"))
import checks  # noqa: E402
import picture  # noqa: E402
from record import MILLISECOND, SECOND, Event, Run  # noqa: E402

BEGAN = 1000 * SECOND


def at(ms):
    return BEGAN + ms * MILLISECOND


class Sample:
    """A correct run of four workers that sell six items, with a kill, a kill of a guarded worker, and a pause."""

    def __init__(self):
        self.run = Run(items=6, workers=4, began=BEGAN)
        self.sequence, self.left = 0, 6
        for worker in range(1, 5):
            self.add("asked", worker, 0)
        for worker, ms in ((1, 10), (2, 20), (3, 30)):
            self.sell(worker, ms)
        self.grant(1, 40)
        self.add("killed", 1, 50)
        self.sell(3, 4250)
        self.grant(4, 4260)
        self.add("killed_guarded", 4, 4270)
        stale = self.grant(2, 4300)
        self.add("stopped", 2, 4310)
        self.sell(3, 8500)
        self.add("resumed", 2, 8600)
        self.add("lost", 2, 8601, stale, at(8290))
        self.add("refused", 2, 8602, stale, 2)
        self.add("released", 2, 8603)
        self.add("asked", 2, 8604)
        self.sell(2, 8700, 2)
        self.run.ended, self.run.stock_left = at(8800), self.left

    def add(self, kind, worker, ms, token="0x0", number=0, epoch=0):
        self.run.events.append(Event(kind, worker, at(ms), token, number, epoch))

    def grant(self, worker, ms, epoch=1):
        self.sequence += 1
        token = f"{0x10 + 2 * self.sequence:#x}"
        self.add("granted", worker, ms, token, self.sequence, epoch)
        return token

    def sell(self, worker, ms, epoch=1):
        """Adds a hold of 5 ms in which the worker sells one item."""
        self.run.sales.append((self.left, worker, self.grant(worker, ms, epoch)))
        self.left -= 1
        self.add("sold", worker, ms + 4)
        self.add("released", worker, ms + 5)
        self.add("asked", worker, ms + 6)


def sample():
    return Sample().run


def sample_with_a_killed_server():
    """Adds the second disturbance of the demo on Redis: the server dies while worker 4 holds the lock, and comes back.
    """
    run = sample()
    run.servers = "redis"
    i = next(i for i, e in enumerate(run.events) if e.kind == "killed_guarded")
    killed = run.events[i]
    killed.kind = "server_killed"
    run.events[i + 1 : i + 1] = [Event("server_back", 4, killed.at + 10 * MILLISECOND),
                                 Event("released", 4, killed.at + 20 * MILLISECOND)]  # fmt: skip
    run.sales.insert(4, (0, 4, run.hold_at(4, killed.at).token))
    run.items = len(run.sales)
    run.sales = [(run.items - i, worker, token) for i, (_, worker, token) in enumerate(run.sales)]
    return run


def drop(run, kind):
    run.events = [e for e in run.events if e.kind != kind]


def grants(run):
    return [e for e in run.events if e.kind == "granted"]


class Checks(unittest.TestCase):
    def passes(self, check, *cause):
        self.assertTrue(check(self.run_, *cause).passed, check(self.run_, *cause))

    def fails(self, check, *cause):
        self.assertFalse(check(self.run_, *cause).passed, check(self.run_, *cause))

    def setUp(self):
        self.run_ = sample()

    def test_pass_a_right_history(self):
        for run in (sample(), sample_with_a_killed_server()):
            for check in checks.checks_with_lock(run):
                self.assertTrue(check.passed, check)

    def test_fail_an_empty_history(self):
        for check in checks.checks_with_lock(Run()):  # without items only this check can pass
            self.assertEqual(check.passed, check.promise == "the stock is exactly 0", check)

    def test_see_who_came_in_while_the_server_was_away(self):
        self.run_ = sample_with_a_killed_server()
        killed, server = self.run_.first("killed"), self.run_.first("server_killed")
        for e in grants(self.run_):
            if e.worker == 2 and e.at > killed.at:
                e.at = server.at + 5 * MILLISECOND
        self.fails(checks.server_kill_let_nobody_in)

    def test_see_a_holder_that_was_not_told_or_sold_nothing(self):
        self.run_ = sample_with_a_killed_server()
        del self.run_.sales[4]
        self.fails(checks.server_kill_let_nobody_in)
        i, end = next((i, e) for i, e in enumerate(self.run_.events) if e.kind == "released" and e.worker == 4)
        self.run_.events.insert(i, dataclasses.replace(end, kind="lost", number=end.at))  # the holder's lease has ended
        self.passes(checks.server_kill_let_nobody_in)

    def test_see_stock_left_over(self):
        for self.run_.stock_left in (1, -1):
            self.fails(checks.stock_is_empty)

    def test_see_double_and_missing_sales(self):
        self.run_.sales.append(self.run_.sales[-1])
        self.fails(checks.nothing_sold_twice)
        self.fails(checks.sales_in_order)
        self.passes(checks.oversells)
        self.run_ = sample()
        self.fails(checks.oversells)
        # the run sells an item twice and another item never, so the number of sales shows no fault
        self.run_.sales[3] = (self.run_.sales[2][0], *self.run_.sales[3][1:])
        self.fails(checks.nothing_sold_twice)
        self.run_ = sample()
        self.run_.sales.append((0, 1, "0x0"))
        self.fails(checks.nothing_sold_twice)

    def test_see_sales_out_of_order(self):
        self.run_.sales[1:3] = reversed(self.run_.sales[1:3])
        self.passes(checks.nothing_sold_twice)
        self.fails(checks.sales_in_order)

    def test_see_two_holders(self):
        self.run_.first("released").at += 20 * MILLISECOND
        self.fails(checks.one_holder_at_a_time)

    def test_see_a_lease_that_outlives_the_hand_over(self):
        self.run_.first("lost").number += SECOND
        self.fails(checks.one_holder_at_a_time)
        self.fails(checks.paused_holder_was_told)

    def test_see_an_overtaken_waiter_and_a_token_that_is_not_larger(self):
        one, two = grants(self.run_)[1:3]
        one.number, two.number = two.number, one.number
        self.fails(checks.grants_in_queue_order)
        self.passes(checks.tokens_increase)
        self.run_ = sample()
        one, two = grants(self.run_)[1:3]
        two.token = one.token
        self.fails(checks.tokens_increase)
        self.passes(checks.grants_in_queue_order)

    def test_see_a_kill_that_hit_no_holder(self):
        killed = self.run_.first("killed")
        killed.at, killed.worker = grants(self.run_)[0].at + 1, 3
        self.fails(checks.killed_while_holding, "killed")
        self.passes(checks.killed_while_holding, "killed_guarded")
        drop(self.run_, "killed_guarded")
        self.fails(checks.killed_while_holding, "killed_guarded")

    def test_see_a_late_hand_over(self):
        killed = self.run_.first("killed").at
        shift = killed + checks.hand_over_limit(self.run_, "killed") + 1 - grants(self.run_)[4].at
        for e in self.run_.events:
            e.at += shift if e.at > killed else 0
        self.fails(checks.handed_over_after, "killed")
        self.passes(checks.handed_over_after, "stopped")

    def test_see_a_guardian_that_did_nothing(self):  # the hand-over waits for the timeout
        killed = self.run_.first("killed_guarded").at
        for e in self.run_.events:
            e.at += self.run_.session_timeout * 2 // 3 if e.at > killed else 0
        self.fails(checks.handed_over_after, "killed_guarded")
        self.passes(checks.handed_over_after, "killed")

    def test_see_what_the_paused_worker_lacks(self):
        self.run_.sales.append((2, 2, self.run_.first("refused").token))
        self.fails(checks.paused_write_was_refused)
        drop(self.run_, "refused")
        self.fails(checks.paused_write_was_refused)
        drop(self.run_, "lost")
        self.fails(checks.paused_holder_was_told)
        self.run_ = sample()
        self.run_.events = [e for e in self.run_.events if e.epoch != 2]
        self.fails(checks.paused_worker_went_on)


class Pictures(unittest.TestCase):
    def test_events_come_back_from_their_lines(self):
        for e in [*sample().events, Event("refused", 2, 7, "0x1+2", 3, 4, "0x5")]:
            self.assertEqual(Event.parse(e.line()), e)

    def test_labels_and_lines_are_apart(self):
        drawn = random.Random(1)
        for _ in range(200):
            requests, x = [], 0
            for _ in range(6):
                x += drawn.uniform(0, 120)
                requests.append((x, drawn.uniform(20, 200)))
            boxes = [(x, x - width if to_left else x, x if to_left else x + width, row)
                     for (x, width), (row, to_left) in zip(requests, picture.place_labels(requests, 0, 1000))]  # fmt: skip
            for i, a in enumerate(boxes):
                self.assertTrue(0 <= a[1] and a[2] <= 1000)
                for b in boxes[:i]:
                    upper, lower = (a, b) if a[3] < b[3] else (b, a)
                    self.assertTrue(a[2] < b[1] or b[2] < a[1] if a[3] == b[3] else not lower[1] < upper[0] < lower[2])

    def test_shows_who_held_and_what_was_left_behind(self):
        run = sample()
        lanes = [picture.spans_of(worker, run, run.holds()) for worker in range(1, 5)]
        self.assertEqual((lanes[0][-1][0], lanes[3][-1][0]), ("left_behind", "left_behind"))
        for lane in lanes:
            self.assertTrue(all(a[2] <= b[1] for a, b in zip(lane, lane[1:])))
        for panel in picture.panels_of(run, picture.marks_of(run)):
            self.assertTrue(all(a[1] <= b[0] for a, b in zip(panel.segments, panel.segments[1:])), panel.title)

    def test_shows_each_kill_by_itself(self):
        def segments(run, words):
            return next(len(p.segments) for p in picture.panels_of(run, picture.marks_of(run)) if words in p.title)

        run = sample()
        self.assertEqual((segments(run, "first kill"), segments(run, "second kill")), (2, 1))
        killed = run.first("killed_guarded").at
        for e in run.events:
            e.at += SECOND if e.at > killed else 0
        self.assertEqual(segments(run, "second kill"), 2)

    def test_text_is_as_wide_as_the_terminal(self):
        for width in (60, 80, 133):
            for run in (sample(), Run(workers=4, began=BEGAN, ended=at(10))):
                rows = [row for row in picture.to_text(run, width).splitlines() if row.startswith("worker ")]
                self.assertEqual({len(row) for row in rows}, {width})

    def test_svg_has_the_tokens_and_what_happened(self):
        svg = picture.to_svg(sample(), sample())
        for words in ("SIGKILL worker 1", "worker 3 granted 0x1a, 4.20 s later", "SIGKILL worker 4, which has a guardian",
                      "worker 2 granted 0x1e, 30.0 ms later", "Worker 4 has a guardian", "SIGSTOP worker 2",
                      "write with 0x1e refused", ">0x18<", "prefers-color-scheme: dark"):  # fmt: skip
            self.assertIn(words, svg)
        svg = picture.to_svg(sample_with_a_killed_server(), sample())
        for words in ("SIGKILL of the server", "the server is back, 10.0 ms later", "nobody else gets the lock meanwhile"):
            self.assertIn(words, svg)


if __name__ == "__main__":
    unittest.main()
