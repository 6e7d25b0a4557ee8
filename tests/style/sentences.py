#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds sentences of pages that are too long, and words that a newcomer cannot understand at the first reading.

    sentences.py length|words PAGE...

Prints "page:line: text" for each violation. Between two markers, pages contain data that a script has written. The
command does not judge these data.
"""
import argparse
import re
import sys

MOST_WORDS = 30

# Phrases that have no noun or no actor, or a meaning that only this project gives them.
PHRASES = [
    r"who|whoever|whom|whose ever|nobody|somebody|anybody",
    r"nothing of (it|this|that|them)", r"(that|those|the ones?) of", r"those (that|which)", r"one that", r"that one(?= ?[.,;:!?)]|$| (of|has|is|was|does|in)\b)",
    r"what (it|they|he) (has|have|is|are|was|were|does|do)", r"what (is|are|was|were) (not|to be)",
    r"what (becomes?|became|comes?|came) of", r"(is|are|was|were|been|be) told", r"(has|have|had) told",
    r"go(es)? by", r"of (its|their|one's) own", r"in turn", r"(then|there), too", r"(can|could|to|may) be had",
    r"stands?", r"such as (it|they)", r"comes? to nothing", r"let (it|them) go",
]
DIALECT = re.compile(r"(?<![\w'-])(?:" + "|".join(PHRASES) + r")(?![\w'-])", re.IGNORECASE)
END = re.compile(r"[.!?][\"')*_]*(?=\s+[\"'(*_<`]*[A-Z0-9`]|\s*$)")
GENERATED = re.compile(r"<!-- (scripts/\w+ makes|end of) .* -->$")
ABBREVIATIONS = re.compile(r"\b(e\.g|i\.e|vs|cf|etc)\.$")


def plain(text):
    """Returns the text as a reader sees it: code becomes one word, and a link becomes its text. Blanks keep every other
    character at its position.
    """
    text = re.sub(r"<!--.*?-->", lambda found: " " * len(found.group()), text)
    text = re.sub(r"``.+?``|`[^`]+`", as_word, text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", lambda found: found.group(1).ljust(len(found.group())), text)
    return re.sub(r"<[a-z/][^>]*>|https?://\S+", as_word, text)


def as_word(found):
    return "CODE".ljust(len(found.group()))


def blocks(lines):
    """Returns paragraphs, list items, headings and table cells. Each is a list of (line number, text)."""
    block, fenced, blank, code, generated = [], False, True, False, False
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n")
        if GENERATED.match(line):
            generated = line.startswith("<!-- scripts/")
            yield block
            block = []
        if generated:
            continue
        if line.lstrip().startswith("```"):
            fenced = not fenced
            yield block
            block = []
            continue
        if fenced:
            continue
        if not line.strip():
            yield block
            block, blank = [], True
            continue
        code = line.startswith("    ") and (blank or code)
        blank = False
        if code:
            continue
        if line.startswith("|"):
            yield block
            block = []
            for cell in re.split(r"(?<!\\)\|", re.sub(r"`[^`]*`", "CODE", line).strip("|")):
                yield [(number, cell)]
            continue
        if re.match(r"\s*([-*+]|\d+\.)\s|#", line):
            yield block
            block = []
        block.append((number, re.sub(r"^\s*([-*+]|\d+\.)\s+|^#+\s*", "", line)))
        if line.startswith("#"):
            yield block
            block = []
    yield block


def sentences(page):
    """Returns (line number, text) of each sentence of the page."""
    with open(page, encoding="utf-8") as file:
        for block in blocks(file.readlines()):
            text, starts = "", []
            for number, line in block:
                starts.append((len(text), number))
                text += line + " "
            text, begin = plain(text), 0  # plain() removes code and the targets of links, which may contain full stops
            for end in END.finditer(text):
                if ABBREVIATIONS.search(text[begin:end.end()]):
                    continue
                yield line_of(starts, begin), text[begin:end.end()].strip()
                begin = end.end()
            if text[begin:].strip():
                yield line_of(starts, begin), text[begin:].strip()


def line_of(starts, place):
    """Returns the line of a position. `starts` has the position at which each line begins."""
    return [number for start, number in starts if start <= place][-1]


def shown(text):
    return re.sub(r"\s+", " ", text)[:70]


def long_sentences(page):
    """Returns the page's sentences that have more than MOST_WORDS words."""
    for number, text in sentences(page):
        words = len(re.findall(r"\S*\w\S*", text))
        if words > MOST_WORDS:
            yield f"{page}:{number}: {words} words: {shown(text)}"


def dialect(page):
    """Returns where the page has phrases of PHRASES."""
    for number, text in sentences(page):
        text = re.sub(r"\s+", " ", text)
        for found in DIALECT.finditer(text):
            yield f"{page}:{number}: \"{found.group()}\": {shown(text)}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rule", choices=["length", "words"])
    parser.add_argument("pages", nargs="+")
    options = parser.parse_args()
    for page in options.pages:
        for violation in long_sentences(page) if options.rule == "length" else dialect(page):
            print(violation)
    return 0


if __name__ == "__main__":
    sys.exit(main())
