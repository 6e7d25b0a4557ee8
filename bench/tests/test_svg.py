# SPDX-License-Identifier: Apache-2.0
"""Tests driver/svg.py. Run: python3 -m unittest discover -s bench/tests -t bench"""

import unittest

from driver.svg import compact

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9pt" height="8pt" ' \
       'viewBox="0 0 9 8">'


def lines_of(drawing):
    """Returns the drawn elements, without the enclosing element and the common style."""
    return compact(f"{HEAD}{drawing}</svg>").splitlines()[2:-1]


class Compact(unittest.TestCase):
    def test_a_series_is_one_path(self):
        bar = '<g><path d="M 0.04 1.26 \nL 2 3 \nz\n" style="fill: #ffffff"/></g>'
        self.assertEqual(lines_of(bar * 2), ['<path d="M 0 1.3 L 2 3 z M 0 1.3 L 2 3 z" style="fill:#ffffff"/>'])

    def test_another_style_begins_another_path(self):
        self.assertEqual(len(lines_of('<path d="M 0 1" style="fill: #ffffff"/><path d="M 0 1" style="fill: #000000"/>')), 2)

    def test_a_marker_is_drawn_where_it_is_used(self):
        self.assertEqual(
            lines_of('<defs><path id="m" d="M 0 -1 L 1 0"/></defs><use xlink:href="#m" x="10" y="20.5" style="fill: none"/>'),
            ['<path d="M 10 19.5 L 11 20.5" style="fill:none"/>'])

    def test_a_text_keeps_its_place_its_size_and_its_turn(self):
        text = '<text style="font: 10px \'DejaVu Sans\', sans-serif; text-anchor: end" x="1.23" y="4" ' \
               'transform="rotate(-90 1.23 4)">a &amp; b</text>'
        self.assertEqual(lines_of(text), ['<text x="1.2" y="4" transform="rotate(-90 1.2 4)" '
                                          'style="font-size:10px;text-anchor:end">a &amp; b</text>'])

    def test_a_power_has_a_place_for_each_letter(self):
        power = '<g transform="translate(100 50)"><text><tspan style="font: 7px X" x="0 8.31" y="-1">10</tspan></text></g>'
        self.assertEqual(lines_of(power),
                         ['<text><tspan x="100 108.3" y="49" style="font-size:7px">10</tspan></text>'])


if __name__ == "__main__":
    unittest.main()
