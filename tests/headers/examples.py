#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Extracts the examples from the public headers' comments, for the tests that compile and run them.

    examples.py <headers' folder> <output folder> <test source>...

An example is indented by five spaces after the slashes, below an empty line of the comment. The first example of
`guard.hpp` becomes `guard.inc`, the next one `guard-2.inc`: a test includes it where the names exist that the example
uses. Fails if no test includes an example, or if a comment has a line of code that this script would not find.
"""

import re
import sys
from pathlib import Path

EXAMPLE = re.compile(r"\s*//     ( *\S.*)")
EMPTY = re.compile(r"\s*//$")
CODE = re.compile(r"\s*//     .*[;{}]\s*(//.*)?$")


def examples(header: Path) -> tuple[list[list[str]], list[str]]:
    """Returns the header's examples, each as a list of lines, and the errors in its comments."""
    taken, wrong, inside, before = [], [], False, ""
    for number, line in enumerate(header.read_text().splitlines(), 1):
        found = EXAMPLE.match(line)
        if found and (inside or EMPTY.match(before)):
            if not inside:
                taken.append([f'#line {number} "{header}"'])
            taken[-1].append(found[1])
            inside = True
        else:
            inside = False
            if CODE.match(line):
                wrong.append(f"{header}:{number}: code that no test runs: an empty line of comment stands above it")
        before = line
    return taken, wrong


def main() -> int:
    folder, output, *tests = map(Path, sys.argv[1:])
    tested = set(re.findall(r'#include "examples/(\S+)\.inc"', "".join(test.read_text() for test in tests)))
    wrong = []
    found = set()
    for header in sorted(folder.rglob("*.hpp")):
        base = str(header.relative_to(folder).with_suffix(""))
        blocks, complaints = examples(header)
        wrong += complaints
        for number, lines in enumerate(blocks, 1):
            name = base if number == 1 else f"{base}-{number}"
            found.add(name)
            target = output / "examples" / f"{name}.inc"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("\n".join(lines) + "\n")
    wrong += [f'no test has #include "examples/{name}.inc"' for name in sorted(found - tested)]
    wrong += [f"a test wants examples/{name}.inc, and no header has it" for name in sorted(tested - found)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
