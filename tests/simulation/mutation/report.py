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
    for line in text.splitlines():
        if line.startswith("## "):
            section = line
        name = re.match(r"    (\w+)", line)
        if not name:
            continue
        seed = re.fullmatch(r": (\d+)(?: \((?:the )?(\w+(?: on \w+)?)\))?(?:, \w+)?", line[name.end():])
        defence_off = section == f"## {MASKED}"
        found[name[1]] = Known(int(seed[1]), seed[2] or "locks", defence_off) if seed else None
    return found


def history(verdict, work):
    played = " (the hunt)" if verdict.hunted else "" if work == "locks" else f" ({work})"
    return f"{verdict.seed}{played}"


def item(mutant, verdict):
    """Returns the line of a mutant. It names the broken promise only if the heading does not name it."""
    code = "" if verdict.invariant in PROMISES else f", {verdict.invariant}"
    return f"    {mutant.name}: {history(verdict, mutant.work)}{code}"


def masked_item(mutant, verdict):
    return f"    {mutant.name}: {history(verdict, mutant.work)}, {verdict.invariant}"


def items(caught):
    """Returns the caught mutants, grouped by the promise that they break."""
    parts = ["<!-- scripts/mutants makes the lists -->\n"]
    for promise, subject in PROMISES.items():
        group = [item(r.mutant, r.alone) for r in caught if r.alone.invariant.startswith(promise)]
        if group:
            parts.append(f"### {promise}: {subject}\n\n" + "\n".join(group) + "\n")
    others = [item(r.mutant, r.alone) for r in caught if not r.alone.invariant.startswith(tuple(PROMISES))]
    if others:
        parts.append("### Others\n\n" + "\n".join(others) + "\n")
    return "\n".join([*parts, "<!-- end of the lists -->"]) + "\n"


def marked_list(lines):
    return "\n".join(["<!-- scripts/mutants makes the list -->\n", *lines, "\n<!-- end of the list -->"]) + "\n"


def render(results, seeds):
    caught = [r for r in results if r.alone.seed]
    masked = [r for r in results if not r.alone.seed and r.unmasked.seed]
    equivalent = [r for r in results if r.mutant.equivalent and not r.alone.seed]
    holes = [r for r in results if not r.as_expected and not r.alone.seed]
    text = f"""# Mutants

A mutant is a fault in the library's code. `scripts/mutants` puts one mutant at a time into the sources, and lets the
simulator play histories until one history breaks a promise. Each history comes from a number, the *seed*. The simulator
plays the seeds 1 to {seeds}, and more if a mutant's file says so. If no seed shows the fault, it plays the same seeds
in the [lease hunt](../why/checks.md#counterexamples-to-rules-for-a-lease).
Without a mutant, {seeds} seeds break no promise. The files in `tests/simulation/mutants` describe the faults.

## Caught

A heading names the broken promise by its code, of [guarantees](../guarantees.md) or of
[other codes](failures.md#other-codes). A mutant's number is the first seed that shows the fault. The words in brackets
name options of `scripts/simulate`: "the hunt" means `--lease-hunt`, "commits" means `--work commits`, and "on redis"
means `--servers redis`.

"""
    text += items(caught)
    text += f"""
## {MASKED}

A second part of the code, the *defence*, hides these faults. If `scripts/mutants` also switches the defence off, the
history of the seed breaks the promise at the end of the line.

"""
    text += marked_list([masked_item(r.mutant, r.unmasked) for r in masked])
    text += """
## Equivalent

These changes of the code break no promise, so no history can show them.

"""
    text += marked_list([f"    {r.mutant.name}" for r in equivalent])
    if holes:
        text += f"""
## Not caught

The simulator must learn to show these faults: with each of them, {seeds} seeds break no promise.

"""
        text += marked_list([f"    {r.mutant.name}: {r.mutant.fault}" for r in holes])
    return text
