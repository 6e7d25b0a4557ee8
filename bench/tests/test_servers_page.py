# SPDX-License-Identifier: Apache-2.0
"""Tests driver/servers_page.py. Run: python3 -m unittest discover -s bench/tests -t bench"""

import unittest

from driver.result import Result
from driver.servers_page import costs, with_costs

LABELS = {"ours": "ZooKeeper: turnstile::mutex", "other": "Redis: turnstile::mutex"}


class Costs(unittest.TestCase):
    def test_a_line_for_each_case_of_what_is_in_it(self):
        speed = Result("servers-uncontended", "Uncontended", "µs a cycle", "lower")
        for value in (1000, 3000, 2000):
            speed.add("on disk", "ours", value)
        left_out = Result("servers-counts", "Requests", "requests", "lower")
        left_out.add("on disk", "ours", 3)
        self.assertEqual(costs([speed, left_out], LABELS, ["ours", "other"]),
                         "| measure, case: unit | ZooKeeper | Redis |\n|---|---:|---:|\n"
                         "| Uncontended, on disk: µs a cycle | 2,000 | – |")

    def test_the_table_takes_the_place_of_the_one_before(self):
        page = "before\n<!-- costs: by a script -->\nold\n<!-- end of costs -->\nbehind\n"
        self.assertEqual(with_costs(page, "new"),
                         "before\n<!-- costs: by a script -->\n\nnew\n\n<!-- end of costs -->\nbehind\n")

    def test_a_page_without_a_place_is_refused(self):
        with self.assertRaises(ValueError):
            with_costs("nothing here", "new")


if __name__ == "__main__":
    unittest.main()
