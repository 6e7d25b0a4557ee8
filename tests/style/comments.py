#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds comments of code that begin without a subject, or have a word that only this project's authors understand.

    comments.py UNREVISED FILE...

Prints "file:line: text" for each violation. The file UNREVISED lists folders whose comments have not been revised yet,
one a line. The command does not judge their files. If a listed folder has no violations, the command reports that as a
violation, so that the list becomes shorter.
"""
import re
import sys

import sentences

HEADLESS = re.compile(r"(What|Of|Whether|How|One|It|As)\b", re.IGNORECASE)
LINE = {"slashes": re.compile(r"^(.*?)(?<![:\"'])//[/!]?<?(?: (.*))?$"), "hash": re.compile(r"^(\s*)#(?: (.*))?$")}
MARK = re.compile(r"SPDX|places?:|NOLINT|clang-format|GCOV|LCOV|namespace\b|include \"|shellcheck|noqa|type:|pragma")
RAW = re.compile(r'R"(\w*)\(')


def comments(path):
    """Returns pairs (line number, text) of the comments. Comment lines that follow each other are one text. An
    indented line is an example in code, and becomes the word CODE.
    """
    line_of = LINE["slashes" if path.endswith((".cpp", ".hpp")) else "hash"]
    found, raw = [], None
    last = (0, "")
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if raw:
                raw = None if raw in line else raw
                continue
            begin = RAW.search(line)
            if begin and not line.lstrip().startswith("//"):
                end = ")" + begin.group(1) + '"'
                raw = None if end in line[begin.end():] else end
                continue
            match = line_of.match(line)
            if not match or match.group(1).count('"') % 2 or MARK.match((match.group(2) or "").strip()):
                continue
            before, text = match.group(1), match.group(2) or ""
            if text.startswith("    "):
                text = "CODE"
            if found and not before.strip() and last == (number - 1, before):
                found[-1] = (found[-1][0], found[-1][1] + " " + text.strip())
            else:
                found.append((number, text.strip()))
            last = (number, before)
    return found


def violations(path):
    for number, text in comments(path):
        if HEADLESS.match(text):
            yield f"{path}:{number}: begins without a subject: {text[:80]}"
        for phrase in sentences.DIALECT.finditer(sentences.plain(text)):
            yield f"{path}:{number}: private word: {phrase.group()}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        unrevised = {line.strip(): 0 for line in file if line.strip() and not line.startswith("#")}
    for path in sys.argv[2:]:
        found = list(violations(path))
        folder = next((each for each in unrevised if path.startswith(each + "/")), None)
        if folder:
            unrevised[folder] += len(found)
        else:
            print("".join(each + "\n" for each in found), end="")
    for folder, count in unrevised.items():
        if count == 0:
            print(f"{sys.argv[1]}: {folder} has no violation any more: take it off the list")


if __name__ == "__main__":
    main()
