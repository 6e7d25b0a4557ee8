# SPDX-License-Identifier: Apache-2.0
"""Makes the pages of the API reference, as Markdown, from Doxygen's XML and the comments of the public headers.

Doxygen finds the symbols. A page has the text of a header: its first comment, then each declaration with its comment.
Each class and function has a heading, so that the site's search finds it.
"""
import collections
import pathlib
import re
import textwrap
import xml.etree.ElementTree as tree

from header_filter import COMMENT, SAME

GROUPS = {"": "Library", "tools": "For tools", "testing": "Testing kit"}


# A page of the site: its path, its group in the navigation, its Markdown text, the anchor of each symbol by the
# symbol's name, and the names of the page's enumerators. If an enumerator and another symbol have one name, the site
# does not link this name on the enumerator's page.
Page = collections.namedtuple("Page", "path group text anchors enumerators")


class Symbol:
    """A declaration: its kind, its name below the namespace turnstile, its place, and the text of its comment."""

    def __init__(self, element, kind, name):
        place = element.find("location")
        self.kind = kind
        self.name = re.sub(r"^turnstile::|(?<=friend )turnstile::", "", name)
        self.header, self.line = place.get("file"), int(place.get("line"))
        self.text = "\n".join(found.text.strip() for found in element.findall("detaileddescription//verbatim"))
        self.enumerators = {value.findtext("name") for value in element.findall("enumvalue")}
        values = [(value.findtext("name"), "\n".join(found.text.strip() for found in value.iter("verbatim")))
                  for value in element.findall("enumvalue")]
        self.values = values if any(text for _, text in values) else []

    @property
    def anchor(self):
        return re.sub(r"[^A-Za-z0-9_]+", "-", self.name).strip("-")


def symbols(xml):
    """Returns all public symbols, by header, in the order of their lines."""
    found = {}
    for file in sorted(pathlib.Path(xml).glob("*.xml")):
        for compound in tree.parse(file).getroot().iter("compounddef"):
            kind, name = compound.get("kind"), compound.findtext("compoundname")
            if not name.startswith("turnstile") or kind == "file":
                continue
            if kind in ("class", "struct", "concept") and compound.get("prot") != "private":
                add(found, Symbol(compound, kind, name))
            for member in compound.iter("memberdef"):
                is_friend = member.get("kind") == "friend" and "operator" not in member.findtext("name")
                if member.get("prot") == "public" and not is_friend:
                    add(found, Symbol(member, member.get("kind"), f"{name}::{member.findtext('name')}"))
    return {header: sorted(entries.values(), key=lambda symbol: symbol.line) for header, entries in found.items()}


def add(found, symbol):
    """Keeps one symbol for each line, because Doxygen repeats the members of a base that is a template."""
    known = found.setdefault(symbol.header, {})
    if symbol.line not in known or symbol.text:
        known[symbol.line] = symbol


def declaration(lines, symbol):
    """Returns the declaration as the header has it, without its body and the export macro."""
    first = symbol.line - 1
    while (before := re.sub(r" *// .*", "", lines[first - 1]).rstrip()) and before[-1] not in ";{}:":
        first -= 1
    text = "\n".join(re.sub(r" *// .*", "", line) for line in lines[first:first + 100])
    text = re.sub(r"\bTURNSTILE(_TESTING)?_EXPORT ", "", text)
    return textwrap.dedent(re.sub(r"\n\s*(?=\n)", "", text[:end_of(text, symbol.kind)].rstrip() + ";"))


def end_of(text, kind):
    """Returns the place at which a declaration ends: its semicolon, or the start of its body or initializers."""
    if kind in ("enum", "concept", "variable", "typedef"):
        return text.find("};") + 1 if kind == "enum" else text.find(";")
    depth = 0
    for place, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        is_body = character == "{" or text[place - 1:place + 2] == " : " and kind not in ("class", "struct")
        if depth == 0 and (character == ";" or is_body):
            return place
    return len(text)


def markdown(text):
    """Returns the Markdown of a comment. In a comment code is indented, and a list may directly follow a paragraph."""
    out, code = [], []
    for line in [*text.split("\n"), "."]:
        may_begin = not out or not out[-1].strip() or out[-1].endswith(":")
        if (line.startswith("    ") or not line.strip()) and code or line.startswith("    ") and may_begin:
            code.append(line[4:])
            continue
        if code:
            blank = len(code) > len("\n".join(code).rstrip().split("\n"))
            out += ["", "```cpp", *"\n".join(code).rstrip().split("\n"), "```"] + [""] * blank
            code = []
        out.append(line)
    return "\n".join(out[:-1])


def first_comment(lines):
    """Returns the comment at the start of a header, without the line of its license."""
    comment = []
    for line in lines[1:]:
        found = COMMENT.match(line)
        if not found:
            break
        comment.append(found.group(2))
    return "\n".join(comment)


def listed(name, anchor, text):
    meaning = textwrap.indent(markdown(text[:1].upper() + text[1:]), "    ").lstrip() or "\u2013"
    return f'<a id="{anchor}"></a>`{name}`\n:   {meaning}\n'


def page(header, entries, lines):
    """Returns the page of one header."""
    name = header.rpartition("/")[2]
    title = re.compile(rf"^{name.removesuffix('.hpp')}(?:<T>)?: (.)")
    head = title.sub(lambda found: found.group(1).upper(), first_comment(lines))
    out = [f"# {name}", f'```cpp\n#include "{header}"\n```', markdown(head)]
    used, number = {}, 0
    while number < len(entries):
        symbol = entries[number]
        group = [symbol]
        while number + len(group) < len(entries) and entries[number + len(group)].text == SAME:
            group.append(entries[number + len(group)])
        number += len(group)
        code = "\n".join(declaration(lines, each) for each in group)
        is_member = "::" in symbol.name and symbol.kind not in ("class", "struct", "concept", "enum")
        used[symbol.anchor] = used.get(symbol.anchor, 0) + 1
        label = symbol.name.rpartition("::")[2] if is_member else symbol.name
        overload = f"-{used[symbol.anchor]}" if used[symbol.anchor] > 1 else ""
        attributes = f"#{symbol.anchor}{overload} data-toc-label='{label}'"
        out.append(f"{'###' if is_member else '##'} `{symbol.name}` {{ {attributes} }}")
        others = dict.fromkeys(each.anchor for each in group[1:] if each.anchor not in used)
        used |= dict.fromkeys(others, 1)
        anchors = "".join(f"<a id=\"{anchor}\"></a>" for anchor in others)
        out.append(f"{anchors}\n\n```cpp\n{code}\n```" if anchors else f"```cpp\n{code}\n```")
        out.append(markdown(symbol.text[:1].upper() + symbol.text[1:]))
        out += [listed(name, f"{symbol.anchor}-{name}", text) for name, text in symbol.values]
    return "\n\n".join(out) + "\n"


def pages(root):
    """Returns the index, and the page of each header."""
    found = symbols(root / "build/docs/xml")
    made = []
    index = ["# API reference", "Each page is one header. Its text is the text of the header."]
    for folder, title in GROUPS.items():
        index.append(f"## {title}\n\n| header | content |\n|---|---|")
        for file in sorted((root / "include/turnstile" / folder).glob("*.hpp")):
            lines = file.read_text(encoding="utf-8").split("\n")
            header = str(file.relative_to(root / "include"))
            name = header.removeprefix("turnstile/")
            purpose = re.split(r"(?<=\.)\s", first_comment(lines), maxsplit=1)[0]
            index[-1] += f"\n| [{name}]({name}.md) | {' '.join(purpose.split()).partition(': ')[2].rstrip('.')} |"
            entries = found.get(header, [])
            names = {symbol.name: symbol.anchor for symbol in reversed(entries)}
            names |= {f"{symbol.name}::{name}": f"{symbol.anchor}-{name}"
                      for symbol in entries for name, _ in symbol.values}
            own = {name for symbol in entries for name in symbol.enumerators}
            made.append(Page(f"api/{name}.md", title, page(header, entries, lines), names, own))
    return [Page("api/README.md", "", "\n\n".join(index) + "\n", {}, set()), *made]
