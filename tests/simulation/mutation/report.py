# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/mutants.md: the faults of the mutants, and the histories that showed them."""

import dataclasses
import re

from catalogue import ROOT

DOCUMENT = ROOT / "docs" / "reference" / "mutants.md"
MASKED = "Caught once a second defence is off"

# The promises, in the order of docs/reference/mutants.md. A key is the code of one promise (G1), or the letter of
# several codes (S for S1, S2).
PROMISES = {
    "G1": "exclusion",
    "G2": "fairness",
    "G3": "no herd",
    "G4": "no orphans",
    "G5": "loss is reported",
    "G6": "fencing",
    "G7": "nothing hangs",
    "G8": "honest outcomes",
    "S": "locks that a process shares",
    "O": "recursive locks",
    "M": "`max_hold`",
    "D": "lock delay, and other clients' data",
    "X": "deadlocks",
    "E": "elections",
    "J": "jobs",
    "R": "rates",
}


@dataclasses.dataclass
class Known:
    """The seed that shows a mutant, read from the page."""

    seed: int
    work: str
    defence_off: bool


def documented():
    """Returns for each mutant of the page the seed that shows the mutant, or None if no seed does."""
    text = DOCUMENT.read_text(encoding="utf-8") if DOCUMENT.is_file() else ""
    return parse(text)


def parse(text):
    found = {}
    section = ""
    for line in text.replace("\n  ", " ").splitlines():  # an item of a list may have several lines
        if line.startswith("## "):
            section = line
        row = re.match(r"[-|] `([^`]+)`", line)
        if not row:
            continue
        shown = r"(\d+)(?: of (?:the )?(\w+(?: on \w+)?))?"
        seed = re.search(rf"(?:\| {shown} \| \w+ \||\(seed {shown}(?:, \w+)?\))$", line)
        number, work = (seed[1] or seed[3], seed[2] or seed[4]) if seed else (None, None)
        defence_off = section == f"## {MASKED}"
        found[row[1]] = Known(int(number), work or "locks", defence_off) if seed else None
    return found


def history(verdict, work):
    played = " of the hunt" if verdict.hunted else "" if work == "locks" else f" of {work}"
    return f"{verdict.seed}{played}"


def cell(verdict, work="locks"):
    return f"{history(verdict, work)} | {verdict.invariant}" if verdict.seed else "– | –"


def item(result):
    """Returns the line of a caught mutant. It names the broken promise only if the heading does not name it."""
    mutant, broken = result.mutant, result.alone.invariant
    code = "" if broken in PROMISES else f", {broken}"
    return f"- `{mutant.name}` (seed {history(result.alone, mutant.work)}{code})"


def items(caught):
    """Returns the caught mutants, grouped by the promise that they break."""
    parts = ["<!-- scripts/mutants makes the table -->\n"]
    for promise, subject in PROMISES.items():
        group = [item(r) for r in caught if r.alone.invariant.startswith(promise)]
        if group:
            parts.append(f"### {promise}: {subject}\n\n" + "\n".join(group) + "\n")
    others = [item(r) for r in caught if not r.alone.invariant.startswith(tuple(PROMISES))]
    if others:
        parts.append("### Others\n\n" + "\n".join(others) + "\n")
    return "\n".join([*parts, "<!-- end of the table -->"]) + "\n"


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

Each mutant on this page is a known fault that the simulator must find. `scripts/mutants` puts one fault at a time into
the sources, and plays histories until one history breaks a promise. The script also writes this page. The file
`tests/simulation/mutants/MUTANT.toml` describes the fault and names the changed place. For a mutant of the last two
tables, the file also says why the fault breaks no promise.

The simulator derives each history from a number, the *seed*. It plays the seeds 1 to {seeds}, and more for rare
interleavings. If no seed shows the fault, the simulator plays the same seeds in the [lease
hunt](../why/checks.md#counterexamples-to-rules-for-a-lease). Without a mutant, {seeds} seeds break no promise.

## Caught

Each of the following headings names the promise that the mutants below it break. The heading has a code of
[guarantees](../guarantees.md) (G1 to G8), or the first letter of [other codes](failures.md#other-codes). The brackets
behind a mutant contain the first seed that shows the fault, and after a heading with a letter also the broken promise's
code. Words behind a seed name options of `scripts/simulate`: "of the hunt" means `--lease-hunt`, "of commits" means
`--work commits`, and "on redis" means `--servers redis`.

"""
    text += items(caught)
    text += f"""
## {MASKED}

The following table lists faults with which the library still keeps its promises, because a second part of the code, the
*defence*, hides the fault. If `scripts/mutants` also switches the defence off, the history of the seed breaks the
promise that the table names.

"""
    text += table(
        [
            "Mutant (a known fault)",
            "Seed of the history that shows the fault, and the kind of history (*hunt*: lease hunt)",
            "Broken promise (code in guarantees.md)",
        ],
        [[f"`{r.mutant.name}`", cell(r.unmasked, r.mutant.work)] for r in masked],
    )
    text += """
## Equivalent

The changes of the code in the following table break no promise, so no history can show them.

"""
    text += table(
        ["Mutant (a change of the code that breaks no promise)"],
        [[f"`{r.mutant.name}`"] for r in equivalent],
    )
    if holes:
        text += f"""
## Not caught

The simulator must learn to show these faults: with each of them, {seeds} seeds break no promise.

"""
        text += table(
            ["Mutant", "Fault"],
            [[f"`{r.mutant.name}`", r.mutant.fault] for r in holes],
        )
    return text
