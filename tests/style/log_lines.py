#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds lines of the log that docs/reference/troubleshooting.md does not explain.

    log_lines.py PAGE SOURCE...

Prints "source:line: format" for each log::write() of level info or above whose fixed words the page does not contain.
A format without fixed words only passes on the words of a server, which no page can list.
"""
import re
import sys
from pathlib import Path

WRITE = re.compile(r'log::write\(\s*([^"]*?),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
LEAST = 6  # least number of characters of a fixed piece; shorter pieces do not count


def pieces(text):
    """Returns the fixed pieces of a format, without punctuation at their ends."""
    return [piece.strip(" :;,.()") for piece in re.split(r"\{[^}]*\}|->|[:;]", text)]


def main():
    page, *sources = sys.argv[1:]
    explained = re.sub(r"\s+", " ", Path(page).read_text(encoding="utf-8"))
    for source in sources:
        text = Path(source).read_text(encoding="utf-8")
        for found in WRITE.finditer(text):
            level, literals = found.groups()
            if re.fullmatch(r"log_level::(debug|trace)", level.strip()):
                continue
            line = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))
            fixed = [piece for piece in pieces(line) if len(piece) >= LEAST]
            if fixed and not any(piece[:30].strip() in explained for piece in fixed):
                print(f"{source}:{text.count(chr(10), 0, found.start()) + 1}: {line}")


if __name__ == "__main__":
    main()
