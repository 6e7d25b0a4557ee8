#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the types of src/ and include/ without the testing kit: their numbers of members, their names and comments.

    declared_types.py members|names|comments [FOLDER]      (default: the checkout that contains this file)
    declared_types.py --list [FOLDER]                      all types with their members, the largest first

Members are the functions and data that a class declares itself. Nested types, aliases, friends, and inherited,
defaulted or deleted members do not count. `members` prints each class with more members than its limit. LARGE has the
limits of some classes; the limit of all others is MOST. A limit in LARGE may only fall, so `members` also prints a class
of LARGE that has fewer members than its limit. `names` prints each name that several types have. `comments` prints each
class of a header of src/ that the header's first comment does not name: readers search these comments for a class.
"""

import pathlib
import re
import sys

MOST = 45
# Classes with more than MOST members, and the limit of each class.
LARGE = {}

NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[a-z]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*#(?:[^\n\\]|\\\n|\\.)*",
    re.DOTALL | re.MULTILINE,
)
HEAD = re.compile(
    r"^(?:template\s*<.*>\s*)?(?:enum\s+)?(class|struct|union|enum)\s+(?:alignas\(.*?\)\s*|TURNSTILE_\w+(?:\(.*?\))?\s+)*"
    r"([A-Za-z_][\w:]*)(\s*<[^{]*>)?\s*(?:final\s*)?(?::(?!:)[^()]*)?$"
)
SCOPE = re.compile(r"^(?:inline\s+)?(?:namespace\b.*|extern)$")
NO_MEMBER = re.compile(
    r"^(?:using|friend|typedef|static_assert|template\s*<.*>\s*(?:friend|using|class|struct)\b|(?:enum|class|struct|union)\b[^(]*$)"
)
LABEL = re.compile(r"^(?:(?:public|protected|private)\s*:(?!:)\s*)+")


class Type:
    def __init__(self, keyword, name, place, owner):
        self.keyword, self.name, self.place, self.owner, self.members = keyword, name, place, owner, 0


class Reader:
    """Reads the types that a source defines, and skips everything else."""

    def __init__(self, text, file):
        self.text = NOISE.sub(lambda noise: " " + "\n" * noise[0].count("\n"), text)
        self.file, self.at, self.found = file, 0, []

    def read(self, owner=None):
        """Reads to the closing brace of the owner, a type or a namespace."""
        start = self.at
        while self.at < len(self.text):
            char = self.text[self.at]
            self.at += 1
            if char == "(":
                self.skip("(", ")")
            elif char == "}":
                return
            elif char == ";":
                if owner:
                    count(owner, self.text[start : self.at - 1])
                start = self.at
            elif char == "{":
                head = LABEL.sub("", " ".join(self.text[start : self.at - 1].split()))
                kind = HEAD.match(re.sub(r"\[\[.*?\]\]", "", head))
                if SCOPE.match(head):
                    self.read()
                    start = self.at
                elif kind:
                    self.open(kind, owner)
                else:
                    self.skip("{", "}")
                    if ")" in head and not re.match(r"\s*[;,{)\].]", self.text[self.at :]):
                        if owner:
                            count(owner, head)
                        start = self.at

    def open(self, kind, owner):
        line = self.text.count("\n", 0, self.at) + 1
        keyword = "enum" if "enum" in kind[0].split()[:2] else kind[1]
        inner = Type(keyword, kind[2], f"{self.file}:{line}", owner)
        if not kind[3]:  # the type is no specialization of a template
            self.found.append(inner)
        if keyword == "enum":
            self.skip("{", "}")
        else:
            self.read(inner)

    def skip(self, left, right):
        depth = 1
        while depth and self.at < len(self.text):
            depth += {left: 1, right: -1}.get(self.text[self.at], 0)
            self.at += 1


def count(owner, statement):
    text = LABEL.sub("", " ".join(statement.split()))
    if text and not NO_MEMBER.match(text) and not re.search(r"=\s*(?:default|delete)$", text):
        owner.members += 1


def read_types(root):
    found = []
    for base in ("include", "src"):
        for path in sorted((root / base).rglob("*.[ch]pp")):
            if path.is_relative_to(root / "include" / "turnstile" / "testing"):
                continue
            reader = Reader(path.read_text(encoding="utf-8"), path.relative_to(root).as_posix())
            reader.read()
            found += reader.found
    return found


def members(types):
    seen = {}
    for each in types:
        name = each.name
        limit = LARGE.get(name, MOST)
        if each.members > MOST:
            seen[name] = each.members
        if each.members > limit:
            print(f"{each.place}: {name} has {each.members} members, more than {limit}")
    for name, limit in sorted(LARGE.items()):
        if seen.get(name, 0) < limit:
            print(f"tests/style/declared_types.py: {name} has {seen.get(name, f'{MOST} members or fewer')}, no longer {limit}")


def names(types):
    places = {}
    for each in types:
        if each.owner is None and "::" not in each.name:
            places.setdefault(each.name, []).append(each.place)
    for name, all_of in sorted(places.items()):
        if len(all_of) > 1:
            print(f"{all_of[-1]}: {name} is the name of {len(all_of)} types: {', '.join(all_of)}")


def comments(types, root):
    named = {}
    for each in types:
        path = each.place.rpartition(":")[0]
        if each.keyword != "class" or each.owner or "::" in each.name or not path.startswith("src/") or not path.endswith(".hpp"):
            continue
        if path not in named:
            lines = (root / path).read_text(encoding="utf-8").split("\n")
            code = next(at for at, line in enumerate(lines) if not line.startswith("//"))
            named[path] = set(re.findall(r"\w+", " ".join(lines[:code])))
        if each.name not in named[path]:
            print(f"{each.place}: the header's first comment does not name the class {each.name}")


def main():
    what = sys.argv[1]
    root = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).parents[2]
    types = read_types(root)
    if what == "--list":
        for each in sorted(types, key=lambda one: -one.members):
            print(f"{each.members:4} {each.name} {each.place}")
    elif what == "comments":
        comments(types, root)
    else:
        {"members": members, "names": names}[what](types)


if __name__ == "__main__":
    main()
