#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a built site: each link leads to a page and an anchor that exist, and no page shows raw Markdown.

    links.py FOLDER

Prints one line for each fault, and fails if there is a fault. Does not follow links to other hosts.
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse

RAW = re.compile(r"```|^\|.*\|$|\]\([\w./#-]+\)|^(- |\* |\d+\. )\S", re.MULTILINE)
NOT_TEXT = ("code", "pre", "script", "style", "svg", "nav", "h1", "h2", "h3", "h4")


class Page(html.parser.HTMLParser):
    """Collects the anchors of a page, its links, and its text outside of code."""

    def __init__(self, file):
        super().__init__()
        self.anchors, self.links, self.text, self.depth = set(), [], "", 0
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]
        self.depth += tag in NOT_TEXT
        self.text += "\n" * (tag in ("p", "li", "td", "dd"))

    def handle_endtag(self, tag):
        self.depth -= tag in NOT_TEXT

    def handle_data(self, data):
        self.text += "" if self.depth else data


def faults(folder):
    pages = {file: Page(file) for file in sorted(folder.rglob("*.html"))}
    for file, page in pages.items():
        shown = file.relative_to(folder)
        for found in RAW.finditer(page.text):
            yield f"{shown}: raw Markdown: {found.group()[:60]}"
        for link in sorted(set(page.links)):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            path, anchor = urllib.parse.unquote(parts.path), urllib.parse.unquote(parts.fragment)
            start = folder if path.startswith("/") else file.parent
            target = (start / path.lstrip("/")).resolve() if path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                yield f"{shown}: no page {link}"
            elif anchor and target in pages and anchor not in pages[target].anchors:
                yield f"{shown}: no anchor {link}"


def main():
    found = list(faults(pathlib.Path(sys.argv[1]).resolve()))
    print(*found, sep="\n", end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
