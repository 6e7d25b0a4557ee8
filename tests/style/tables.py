#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds broken tables in pages: `tables.py PAGE...` prints "page:line: text" for each broken row.

A row is broken if its number of cells differs from the row above it. (A bar in code also divides cells.) The first row
of a table is broken if no line with dashes follows it. For example, a blank line divides a table, and the second part
begins without dashes.
"""
import re
import sys

DASHES = re.compile(r"^\|(\s*:?-+:?\s*\|)+$")


def cells(row):
    return len(re.findall(r"(?<!\\)\|", row))


def broken_rows(lines):
    above, fenced = "", False
    for number, line in enumerate(lines, 1):
        line = line.rstrip()
        fenced ^= line.lstrip().startswith("```")
        row = line if line.startswith("|") and not fenced else ""
        begins = row and not above
        if row and above and cells(row) != cells(above):
            yield number, row, "another number of cells than above"
        elif begins and not DASHES.match(lines[number].rstrip() if number < len(lines) else ""):
            yield number, row, "a table without a line of dashes below its first row"
        above = row


if __name__ == "__main__":
    for page in sys.argv[1:]:
        with open(page, encoding="utf-8") as text:
            for number, row, why in broken_rows(text.readlines()):
                print(f"{page}:{number}: {row[:60]}: {why}")
