# SPDX-License-Identifier: Apache-2.0
"""Tests of the report: a run replaces the earlier run on the same servers, in the data and on the page."""

import json
import os
import tempfile
import unittest

import report


def run(**changed):
    made = {"when": "2026-01-02 03:04 UTC", "minutes": 10.0, "seed": 7, "commit": "abc", "machine": "a machine",
            "servers": "one server", "verdict": "clean", "judged": {"G1": 12, "G6": 34}, "broken": {},
            "played": {"calls": 56, "holds lost": 78}, "nemeses": {"kill": 9, "stop": 1}}
    return made | changed


class Report(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.page = os.path.join(self.folder.name, "page.md")
        with open(self.page, "w", encoding="utf-8") as file:
            file.write("above\n<!-- scripts/campaign makes the campaigns -->\noutdated\n<!-- end of the campaigns -->\nbelow\n")

    def tearDown(self):
        self.folder.cleanup()

    def text(self):
        return report.text_of(self.page)

    def rows(self):
        return [line for line in self.text().splitlines() if line.startswith("| `")]

    def test_a_run_is_a_row_in_place_of_the_old_part(self):
        report.put(self.page, "redis", run())
        self.assertEqual(self.rows(), [
            "| `redis` | 2026-01-02, abc | clean | 46 | 78 | – | 10 |"])
        self.assertTrue(self.text().startswith("above\n"))
        self.assertTrue(self.text().endswith("below\n"))
        self.assertNotIn("outdated", self.text())

    def test_the_data_have_every_number(self):
        report.put(self.page, "redis", run())
        with open(os.path.join(self.folder.name, "campaigns.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file), {"redis": run()})

    def test_a_later_run_replaces_the_row_of_its_servers_alone(self):
        report.put(self.page, "sqlite", run())
        report.put(self.page, "zookeeper", run())
        report.put(self.page, "sqlite", run(commit="def"))
        self.assertEqual([row.split(" | ")[0] for row in self.rows()], ["| `zookeeper`", "| `sqlite`"])
        self.assertIn("def", self.rows()[1])

    def test_a_broken_promise_is_in_the_row_and_below_the_table(self):
        report.put(self.page, "redis", run(broken={"G1": 2}, contradictions=["G1: two holds", "    a.notes:1"]))
        self.assertIn("| 46 (broken: G1 2 times) |", self.rows()[0])
        self.assertIn("Contradictions on `redis`:\n\n```\nG1: two holds\n    a.notes:1\n```\n", self.text())

    def test_promises_that_the_servers_do_not_make_are_listed(self):
        report.put(self.page, "redis-replicated", run(**{report.UNKEPT: "G1 125"}))
        self.assertIn(f"\n\n| servers | {report.UNKEPT} |\n|---|---|\n| `redis-replicated` | G1 125 |\n", self.text())


if __name__ == "__main__":
    unittest.main()
