#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a table of the sentences that the library and the command print: messages of errors, lines of the log, output.

    git ls-files 'src/*pp' | xargs messages.py

The table has "source:line | sentence" for each string literal with at least three words. Read the whole table: a
stranger must be able to understand each sentence without the code around it.
"""
import re
import sys
from pathlib import Path

COMMENT = re.compile(r"^[ \t]*//.*$", re.MULTILINE)
RAW = re.compile(r'R"(\w*)\((.*?)\)\1"', re.DOTALL)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"(?:\s*"((?:[^"\\\n]|\\.)*)")*')
WORD = re.compile(r"[A-Za-z]{2,}")
LEAST = 3


def blank(found):
    """Returns only the newlines of a text that the table leaves out, so that line numbers stay correct."""
    return "\n" * found.group().count("\n")


def sentences_of(path):
    text = RAW.sub(blank, COMMENT.sub("", Path(path).read_text(encoding="utf-8")))
    for found in LITERAL.finditer(text):
        sentence = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', found.group()))
        if len(WORD.findall(sentence)) >= LEAST and " " in sentence.strip():
            yield text.count("\n", 0, found.start()) + 1, sentence


def main():
    for path in sys.argv[1:]:
        for line, sentence in sentences_of(path):
            print(f"{path}:{line} | {sentence}")


if __name__ == "__main__":
    main()
