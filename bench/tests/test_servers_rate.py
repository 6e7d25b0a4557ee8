# SPDX-License-Identifier: Apache-2.0
"""Tests measures/servers_rate.py. Run: python3 -m unittest discover -s bench/tests -t bench"""

import unittest
from contextlib import contextmanager

from driver.bench import SERVERS, Bench
from driver.compared import LOCAL, REDIS_INCR
from driver.kinds import ON_REDIS
from driver.result import Result
from measures import servers_rate

EACH = 30  # entries of a session in a window


class FakeBench:
    """Has no servers and no processes: each session answers with the same count."""
    settings = SERVERS
    beside = {ON_REDIS: ON_REDIS, REDIS_INCR: ON_REDIS, LOCAL: LOCAL}
    in_turns = Bench.in_turns
    warm_up_and_sample = Bench.warm_up_and_sample

    def new_result(self, *words, **more):
        return Result(*words, **more)

    def names_that_can(self, command):
        return list(self.beside) if command == "enter" else []

    def new_path(self):
        return "/path"

    @contextmanager
    def on_disk(self):
        yield

    @contextmanager
    def crew(self, names, count=1):
        yield {name: [name] * count for name in names}

    def window(self, peers, *command):
        return [{"grants": EACH} for _ in peers] if command == ("enter", "/path") else []


class Rates(unittest.TestCase):
    def setUp(self):
        (self.rates,) = servers_rate.measure(FakeBench())

    def values(self, case, name):
        return set(self.rates.values(case, name))

    def test_a_value_is_the_entries_of_all_sessions_a_second(self):
        one = EACH / SERVERS.window_seconds
        for name in (ON_REDIS, REDIS_INCR):
            self.assertEqual(self.values("1 session, data in memory", name), {one})
            self.assertEqual(self.values("1 session, data on disk, synced", name), {one})
            self.assertEqual(self.values("8 sessions, data in memory", name), {8 * one})

    def test_memory_of_one_process_has_one_session(self):
        self.assertTrue(self.values("1 session, data in memory", LOCAL))
        self.assertFalse(self.values("8 sessions, data in memory", LOCAL))


if __name__ == "__main__":
    unittest.main()
