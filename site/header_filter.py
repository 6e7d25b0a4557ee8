#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a public header for Doxygen: its `//` comments become Doxygen comments.

    header_filter.py HEADER

Doxygen's rules for Markdown differ from those of the headers. So each comment becomes verbatim text, and reference.py
renders it. A comment describes the declarations that follow it, up to an empty line, the end of a class, or the next
comment. All these declarations except the first get a comment that contains only SAME. A deleted or defaulted function,
a copy or move without a comment, and a defaulted comparison need no description. Every line keeps its number.
"""
import itertools
import re
import sys

SAME = "(described with the declaration before it)"
COMMENT = re.compile(r"^( *)// ?(.*)$")
TRAILING = re.compile(r"^( *[^/ ].*?[^ ]) {2,}// (?!NOLINT)(.*)$")
NO_DECLARATION = re.compile(r"^ *(#|[{}]|(public|protected|private):|friend [^(]*;|(class|struct) [\w:]+;|"
                            "namespace )")
TITLE = re.compile(r"^---- .* ----$")  # a title of several declarations
UNDESCRIBED = re.compile(r"= (?:delete|default);|^ *(?:(\w+)\((?:const \1&|\1&&)|(\w+)& operator=\((?:const \2&|\2&&))"
                         r"(?: \w+)?\)[^{;]*(?:;|\{.*\})$")  # also a copy or a move
COMPARISON = re.compile(r"^ *friend .*operator(==|<=>).*= default;$")
NAMESPACE = re.compile(r"^namespace turnstile\b[\w:]* \{")  # Doxygen checks no member without a comment here
END = re.compile(r"([;}:,]|\*/)$|^#|^$")


def comment(text, mark=""):
    return f"/**{mark}@verbatim {text.replace('*/', '*&#47;')} @endverbatim*/"


def blocks(lines):
    """Yields each comment as the list of its lines, and each other line as a list of one line."""
    for is_comment, block in itertools.groupby(lines, lambda line: bool(COMMENT.match(line))):
        yield from [list(block)] if is_comment else ([line] for line in block)


def described(lines):
    """Yields the lines, with comments for Doxygen."""
    group = None  # the indentation of the declarations that the latest comment describes
    is_first = begins = True  # the next declaration is the first of the group; the next line begins a declaration
    parts = [*blocks(lines), [""]]
    for part, following in itertools.pairwise(parts):
        line = part[0]
        indentation = line[:len(line) - len(line.lstrip())]
        is_declaration = line and not NO_DECLARATION.match(line)
        if COMMENT.match(line):
            text = "\n".join(TITLE.sub("", COMMENT.match(each).group(2)) for each in part)
            describes = text.strip() and following[0] and not NO_DECLARATION.match(following[0])
            group, is_first, begins = indentation if describes else None, True, True
            yield from (indentation + comment(text)).split("\n") if describes else [""] * len(part)
            continue
        is_member = begins and is_declaration and group == indentation
        if is_declaration and (trailing := TRAILING.match(line)):
            line, group = f"{trailing.group(1)} {comment(trailing.group(2), '<')}", None
        elif COMPARISON.match(line) or begins and UNDESCRIBED.search(line) and not (is_member and is_first):
            line = ""
        elif NAMESPACE.match(line):
            line = comment("A namespace.") + line
        elif is_member and not is_first:
            line = indentation + comment(SAME) + line.lstrip()
        elif line.strip() in ("", "};"):
            group = None
        is_first = is_first and not is_member
        begins = bool(END.search(line))
        yield line


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        print(*described(file.read().split("\n")), sep="\n")


if __name__ == "__main__":
    main()
