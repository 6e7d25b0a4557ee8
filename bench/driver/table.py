# SPDX-License-Identifier: Apache-2.0
"""Formats the results as Markdown. Pure."""

import statistics
from dataclasses import replace

from .result import judge, pairwise_ratios, quartiles


def number(value):
    """Formats a number with at least three significant digits, and with commas between thousands."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.3g}"


def spread(values):
    """Formats the median, and the quartiles if there are several values."""
    first, middle, third = quartiles(values)
    if len(values) == 1:
        return number(middle)
    return f"{number(middle)} ({number(first)}–{number(third)})"


def _cell(result, case, peer):
    if result.failed(case, peer):
        return "error: " + result.errors[case][peer].replace("|", "\\|")
    values = result.values(case, peer)
    return spread(values) if values else "–"


def _ratio_cell(result, case, peer):
    if peer == result.reference and result.values(case, peer):
        return "1"
    ratios = pairwise_ratios(result.values(case, result.reference), result.values(case, peer))
    return number(statistics.median(ratios)) if ratios else "–"


def _row(cells):
    return "| " + " | ".join(cells) + " |"


def measure_table(result, labels):
    """Makes a row for each peer and a column for each case on the page. If one peer is the reference of all rows, a
    second column has the median ratio to it, computed round by round. The header names the unit.
    """
    ratios = isinstance(result.reference, str) and result.reference
    cases = result.page_cases()
    header, rule = [f"{result.unit}: median (quartiles)"], ["---"]
    for case in cases:
        header.append(case)
        rule.append("---:")
        if ratios:
            header.append("ratio")
            rule.append("---:")
    lines = [_row(header), _row(rule)]
    for peer in result.all_peers():
        cells = [result.label_of(peer, labels)]
        for case in cases:
            cells.append(_cell(result, case, peer))
            if ratios:
                cells.append(_ratio_cell(result, case, peer))
        lines.append(_row(cells))
    return "\n".join(lines)


def _judged(result, aim, ours):
    """Returns (whether the aim is reached, the aim and the value as text)."""
    found = judge(result, aim, ours)
    if found is None:
        return False, f"{aim.text}: not measured"
    floor = judge(result, replace(aim, of=aim.floor), ours) if aim.floor else None
    return found[1], f"{aim.text}: {number(found[0])}" + (f" (floor {number(floor[0])})" if floor else "")


def aims_table(results, ours):
    """Makes a row for each case that has aims."""
    lines = [_row(["measure, case", "reached aims", "missed aims"]), _row(["---"] * 3)]
    for result in results:
        for case in dict.fromkeys(aim.case for aim in result.aims):
            aims = [aim for aim in result.aims if aim.case == case]
            texts = {True: [], False: []}
            for aim in aims:
                reached, text = _judged(result, aim, ours)
                texts[reached].append(text)
            lines.append(_row([f"{result.title}, {case}", "; ".join(texts[True]), "; ".join(texts[False])]))
    return "\n".join(lines)


def section(result, labels, plot):
    better = {"lower": "Lower is better.", "higher": "Higher is better."}[result.better]
    parts = [f"## {result.title}", f"{better} {result.about}".strip(), measure_table(result, labels), *result.remarks]
    if plot:
        parts.append(f"![{result.title}]({plot})")
    return "\n\n".join(parts)


ALL_PEERS = ("# Benchmarks",
             "`scripts/bench` writes this page. It compares Turnstile with *peers*, the locks of other programs "
             "([bench/README.md](../../bench/README.md)). `benchmarks/data.json` has all measured values, also the "
             "values of cases that this page omits. A value is the median of several rounds, with the quartiles in "
             "brackets. In each round, the *ratio* of a row is the value of Turnstile's first row divided by "
             "the row's value. The column \"ratio\" has the median of the ratios. A *cycle* is an acquire and its release.")
HOW_JUDGED = ("The number after each aim is Turnstile's value, or the ratio if the aim compares two values. \"0.85 ×\" "
              "before a name means 0.85 times the value of the lock with this name. In brackets, *floor* is the number "
              "that a program with only the necessary work reaches. "
              "[bench/README.md](../../bench/README.md#why-some-aims-are-missed) explains the missed aims.")
AIMS = ("## Aims",
        HOW_JUDGED + " This program is the bare C client or, inside a process, a queue without a server.")
VERSION = "version of "  # begins the names of facts that share one row of the page
ONLY_IN_DATA = ("command", "compiler", "Java", "Go", "Python")  # facts that the page omits


def _versions(facts):
    """Returns each version once. The row "commit" has Turnstile's version."""
    names = {}
    for name, version in facts.items():
        if name.startswith(VERSION) and "turnstile::" not in name:
            names.setdefault(version, []).append(name.removeprefix(VERSION))
    return [f"{next((name for name in same if name.endswith(' server')), same[0])} {version}"
            for version, same in names.items()]


def _facts_table(facts):
    """Makes a row for each fact, and one row for all versions."""
    rows = {name: text for name, text in facts.items()
            if not name.startswith(VERSION) and name not in ONLY_IN_DATA and text != "nothing"}
    versions = _versions(facts)
    if versions:
        rows["versions"] = "; ".join(versions)
    lines = [_row([name, text.replace("|", "\\|")]) for name, text in rows.items()]
    return "\n".join(["<!-- scripts/bench makes the facts -->", _row(["fact about the run", "value"]), _row(["---", "---"]), *lines,
                      "<!-- end of the facts -->"])


def page(results, labels, facts, plots, ours, head=ALL_PEERS, aims=AIMS):
    """Returns the whole page. `facts` are names and texts about the run. `plots` maps a measure to a file."""
    head = [*head, _facts_table(facts), *aims, aims_table(results, ours)]
    return "\n\n".join(head + [section(one, labels, plots.get(one.name)) for one in results if one.page_cases()]) + "\n"
