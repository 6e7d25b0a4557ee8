# SPDX-License-Identifier: Apache-2.0
import dataclasses
import unittest

import run
from driver.result import Aim, Result


def data_of(results, facts):
    return {"facts": facts, "results": [dataclasses.asdict(one) for one in results]}


class MeasuredAgain(unittest.TestCase):
    def test_results_replace_those_of_the_same_name_and_the_others_stay(self):
        before = [Result("a", "A", "s", "lower", aims=[Aim("≤ 1", "x", 1, True)]), Result("b", "B", "s", "lower")]
        again = Result("b", "B", "ms", "lower")
        given = run.parse(["--again", "--measure", "held"])
        results, facts = run.with_earlier(
            data_of(before, {"date": "2026-01-01", "held was not measured": "died", "measured again": "tls"}), given,
            [again], {"date": "2026-01-02", "commit": "abc", "load": "0.10"})
        self.assertEqual(results, [before[0], again])
        self.assertEqual(facts, {"date": "2026-01-01", "measured again": "tls; held: 2026-01-02, commit abc, load 0.10"})

    def test_the_reason_of_a_new_failure_is_on_the_page(self):
        given = run.parse(["--again", "--measure", "held", "--measure", "tls"])
        _, facts = run.with_earlier(
            data_of([], {"date": "2026-01-01", "held was not measured": "died", "idle was not measured": "silent"}), given, [],
            {"date": "2026-01-02", "commit": "abc", "load": "0.10", "tls was not measured": "no key"})
        self.assertEqual(facts, {"date": "2026-01-01", "idle was not measured": "silent", "tls was not measured": "no key",
                                 "measured again": "held, tls: 2026-01-02, commit abc, load 0.10"})

    def test_without_a_measure_is_refused(self):
        with self.assertRaises(SystemExit):
            run.parse(["--again"])


if __name__ == "__main__":
    unittest.main()
