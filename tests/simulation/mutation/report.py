# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/mutants.md: the faults of the mutants, and the histories that showed them."""

import dataclasses
import re

from catalogue import ROOT

DOCUMENT = ROOT / "docs" / "reference" / "mutants.md"
MASKED = "Caught once a second defence is off"


@dataclasses.dataclass
class Known:
    """The seed that shows a mutant, read from the page."""

    seed: int
    work: str
    defence_off: bool


def documented():
    """Returns for each mutant of the page the seed that shows the mutant, or None if no seed does."""
    found = {}
    section = ""
    text = DOCUMENT.read_text(encoding="utf-8") if DOCUMENT.is_file() else ""
    for line in text.splitlines():
        if line.startswith("## "):
            section = line
        row = re.match(r"\| `([^`]+)` ", line)
        if not row:
            continue
        seed = re.search(r"\| (\d+)(?: of (?:the )?(\w+(?: on \w+)?))? \| \w+ \|$", line)
        defence_off = section == f"## {MASKED}"
        found[row[1]] = Known(int(seed[1]), seed[2] or "locks", defence_off) if seed else None
    return found


def cell(verdict, work="locks"):
    played = " of the hunt" if verdict.hunted else "" if work == "locks" else f" of {work}"
    return f"{verdict.seed}{played} | {verdict.invariant}" if verdict.seed else "– | –"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(["<!-- scripts/mutants makes the table -->", *lines, "<!-- end of the table -->"]) + "\n"


def render(results, seeds):
    caught = [r for r in results if r.alone.seed]
    masked = [r for r in results if not r.alone.seed and r.unmasked.seed]
    equivalent = [r for r in results if r.mutant.equivalent and not r.alone.seed]
    holes = [r for r in results if not r.as_expected and not r.alone.seed]
    text = f"""# Mutants

`scripts/mutants` generates this page. A mutant is a known fault at a named place of the sources
(`tests/simulation/mutants/`). One simulator contains all mutants and switches one on at its start. It plays the seeds 1
to {seeds}, more for rare interleavings, until a promise breaks. Then it plays as many of the hunt against the lease ("of
the hunt", `--lease-hunt`). "Of commits" and "of locks on redis" name other histories (`--work commits`,
`--servers redis`). Without a mutant {seeds} seeds break no promise.

"Rows" and "Broken" are promises, failure codes or pages: G1 to G8 are in [guarantees.md](../guarantees.md), the others
in [failures.md](failures.md#other-codes).

## Caught

"Seed" is the first seed that shows the fault.

"""
    text += table(
        ["Mutant", "Rows", "Fault put back", "Seed", "Broken"],
        [[f"`{r.mutant.name}`", r.mutant.rows, r.mutant.fault, cell(r.alone, r.mutant.work)] for r in caught],
    )
    text += f"""
## {MASKED}

Alone these faults do no harm in {seeds} seeds.

"""
    text += table(
        ["Mutant", "Rows", "Fault put back", "Defence", "Seed", "Broken"],
        [
            [f"`{r.mutant.name}`", r.mutant.rows, r.mutant.fault, r.mutant.defence, cell(r.unmasked, r.mutant.work)]
            for r in masked
        ],
    )
    text += """
## Equivalent

The mutated code keeps every promise, so no history can show these changes.

"""
    text += table(
        ["Mutant", "Rows", "Change", "Why nothing breaks"],
        [
            [f"`{r.mutant.name}`", r.mutant.rows, r.mutant.fault, r.mutant.equivalent]
            for r in equivalent
        ],
    )
    if holes:
        text += f"""
## Not caught

Holes of the simulator: {seeds} seeds are clean.

"""
        text += table(
            ["Mutant", "Rows", "Fault put back"],
            [[f"`{r.mutant.name}`", r.mutant.rows, r.mutant.fault] for r in holes],
        )
    return text
