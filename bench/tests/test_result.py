# SPDX-License-Identifier: Apache-2.0
"""Tests driver/result.py. Run: python3 -m unittest discover -s bench/tests -t bench"""

import unittest

from driver.peer import PeerError, parse_answer
from driver.result import Aim, Result, judge, pairwise_ratios, quartiles
from driver.table import aims_table, measure_table, number, page, spread


def sample():
    result = Result("speed", "Speed", "µs", "lower", reference="turnstile",
                    aims=[Aim("≤ 0.6 × bare", "one", 0.6, True, "bare")])
    for mine, bare in ((1, 2), (2, 4), (3, 4)):
        result.add("one", "turnstile", mine)
        result.add("one", "bare", bare)
    return result


class Statistics(unittest.TestCase):
    def test_quartiles_are_interpolated_between_the_values(self):
        self.assertEqual(quartiles([4, 1, 3, 2, 5]), (2, 3, 4))
        self.assertEqual(quartiles([7]), (7, 7, 7))

    def test_ratios_are_of_pairs_in_order(self):
        self.assertEqual(pairwise_ratios([1, 6], [2, 3]), [0.5, 2])

    def test_a_ratio_to_nothing_is_none(self):
        self.assertEqual(pairwise_ratios([1, 6], [0, 3]), [2])

    def test_a_peer_that_failed_has_no_values(self):
        result = sample()
        result.fail("one", "bare", "died")
        self.assertEqual(result.values("one", "bare"), [])
        self.assertIsNone(judge(result, result.aims[0], "turnstile"))

    def test_an_aim_is_judged_by_the_median_ratio(self):
        result = sample()
        self.assertEqual(judge(result, result.aims[0], "turnstile"), (0.5, True))
        result.aims[0].limit = 0.4
        self.assertEqual(judge(result, result.aims[0], "turnstile"), (0.5, False))

    def test_an_aim_may_be_about_the_value_or_another_case(self):
        result = sample()
        self.assertEqual(judge(result, Aim("≥ 2", "one", 2, False), "turnstile"), (2, True))
        result.add("two", "turnstile", 10)
        aim = Aim("≥ 5 × one", "two", 5, False, versus_case="one")
        self.assertEqual(judge(result, aim, "turnstile"), (10, True))


class Text(unittest.TestCase):
    def test_numbers_have_three_digits_or_more(self):
        self.assertEqual([number(x) for x in (0, 0.01234, 0.5, 12.34, 567.8, 12345.6)],
                         ["0", "0.0123", "0.50", "12.3", "568", "12,346"])

    def test_the_spread_of_one_value_is_the_value(self):
        self.assertEqual(spread([5]), "5.00")
        self.assertEqual(spread([1, 2, 3]), "2.00 (1.50–2.50)")

    def test_the_table_has_values_ratios_and_errors(self):
        result = sample()
        result.fail("one", "kazoo", "a|b")
        lines = measure_table(result, {"bare": "Bare"}).splitlines()
        self.assertEqual(lines[0], "| µs: median (quartiles) | one | ratio |")
        self.assertIn("| turnstile | 2.00 (1.50–2.50) | 1 |", lines)
        self.assertIn("| Bare | 4.00 (3.00–4.00) | 0.50 |", lines)
        self.assertIn("| kazoo | error: a\\|b | – |", lines)

    def test_what_was_not_measured_is_not_reached(self):
        result = sample()
        result.aims.append(Aim("≤ 1 × kazoo", "one", 1, True, "kazoo"))
        result.add("two", "turnstile", 8)
        result.add("two", "bare", 6)
        result.aims.append(Aim("≤ 2 × one", "two", 2, True, versus_case="one", floor="bare"))
        lines = aims_table([result], "turnstile").splitlines()
        self.assertEqual(lines[2], "| Speed, one | ≤ 0.6 × bare: 0.50 | ≤ 1 × kazoo: not measured |")
        self.assertEqual(lines[3], "| Speed, two |  | ≤ 2 × one: 8.00 (floor 3.00) |")

    def test_all_versions_share_one_row_and_each_version_is_named_once(self):
        facts = {"date": "today", "Go": "1.19", "version of kazoo": "2.8.0", "version of etcd Mutex": "3.4",
                 "version of etcd server": "3.4", "version of turnstile::mutex": "0.2"}
        text = page([sample()], {}, facts, {}, "turnstile")
        self.assertIn("| date | today |\n| versions | kazoo 2.8.0; etcd server 3.4 |\n", text)

    def test_the_page_omits_cases_and_sections_that_are_not_shown(self):
        result = sample()
        result.add("two", "turnstile", 8)
        result.shown = ["two"]
        self.assertEqual(measure_table(result, {}).splitlines()[0], "| µs: median (quartiles) | two | ratio |")
        result.shown = []
        self.assertNotIn("## Speed", page([result], {}, {}, {}, "turnstile"))

    def test_the_page_names_the_run_and_shows_the_plots(self):
        text = page([sample()], {}, {"date": "today"}, {"speed": "benchmarks/speed.svg"}, "turnstile")
        self.assertIn("| date | today |", text)
        self.assertIn("![Speed](benchmarks/speed.svg)", text)


class Protocol(unittest.TestCase):
    def test_answers_have_numbers_lists_and_words(self):
        self.assertEqual(parse_answer("ok version=3.8 commands=cycle us=1,2.5 all=3"),
                         {"version": "3.8", "commands": "cycle", "us": [1, 2.5], "all": 3})

    def test_errors_are_raised(self):
        with self.assertRaisesRegex(PeerError, "^no such lock$"):
            parse_answer("error no such lock")
        with self.assertRaisesRegex(PeerError, "answered 'garbage'"):
            parse_answer("garbage")


if __name__ == "__main__":
    unittest.main()
