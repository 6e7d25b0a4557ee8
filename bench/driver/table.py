# SPDX-License-Identifier: Apache-2.0
"""Formats the results as Markdown. Pure."""

from dataclasses import replace

from .result import judge, quartiles


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


def _row(cells):
    return "| " + " | ".join(cells) + " |"


def measure_table(result, labels):
    """Makes a row for each peer and a column for each case. The header names the unit."""
    cases = result.all_cases()
    lines = [_row([f"{result.unit}: median (quartiles)", *cases]), _row(["---", *["---:"] * len(cases)])]
    for peer in result.all_peers():
        lines.append(_row([labels.get(peer, peer), *(_cell(result, case, peer) for case in cases)]))
    return "\n".join(lines)


AIM = "aim for Turnstile (×: times the value of the named lock, program or case)"


def aims_table(results, ours):
    """Says how many aims the run reached, and makes a row for each other aim."""
    lines, reached = [], 0
    for result in results:
        for aim in result.aims:
            found = judge(result, aim, ours)
            if found and found[1]:
                reached += 1
                continue
            floor = judge(result, replace(aim, of=aim.floor), ours) if aim.floor else None
            lines.append(_row([f"{result.title}, {aim.case}", aim.text, number(found[0]) if found else "not measured",
                               number(floor[0]) if floor else ""]))
    text = f"The run reached {reached} of {reached + len(lines)} aims."
    if not lines:
        return text
    head = [_row(["missed aim: measure, and its case", AIM, "value or ratio of Turnstile", "value or ratio of the floor"]),
            _row(["---", "---", "---:", "---:"])]
    return "\n".join([text, "", *head, *lines])


def section(result, labels, plot):
    better = {"lower": "Lower is better.", "higher": "Higher is better."}[result.better]
    parts = [f"## {result.title}", f"{better} {result.about}".strip(), measure_table(result, labels), *result.remarks]
    if plot:
        parts.append(f"![{result.title}]({plot})")
    return "\n\n".join(parts)


ALL_PEERS = ("# Benchmarks",
             "`scripts/bench` writes this page from the data of one run, `benchmarks/data.json`. It compares Turnstile "
             "with *peers*, the locks of other programs ([bench/README.md](../../bench/README.md)). In each round every peer "
             "is measured once, in changing order. A value is the median of the rounds, with the quartiles in brackets. A "
             "*cycle* is an acquire and its release.")
AIMS = ("## Aims",
        "A ratio is the median of the rounds' ratios. The floor is a peer that does only the necessary work: the bare C "
        "client or, inside a process, a queue without a server.")
# Measures whose values are only in the data and, if they have aims, in the table of aims.
DATA_ONLY = ("cancelling", "events", "filling", "idle", "lock", "saturation_processor", "saturation_requests",
             "servers-counts", "servers-filling", "shares", "tls_processor")
VERSION = "version of "  # begins the names of facts that share one row of the page


def _facts_table(facts):
    """Makes a row for each fact, and one row for all versions."""
    rows = {name: text for name, text in facts.items() if not name.startswith(VERSION)}
    named = {name.removeprefix(VERSION): text for name, text in facts.items() if name.startswith(VERSION)}
    # All peers of the library have one version.
    named = {"Turnstile" if "turnstile::" in name else name: text for name, text in named.items()}
    versions = [f"{name} {text}" for name, text in named.items()]
    if versions:
        rows["versions"] = "; ".join(versions)
    lines = [_row([name, text.replace("|", "\\|")]) for name, text in rows.items()]
    return "\n".join(["<!-- scripts/bench makes the facts -->", _row(["fact about the run", "value"]), _row(["---", "---"]), *lines,
                      "<!-- end of the facts -->"])


def page(results, labels, facts, plots, ours, head=ALL_PEERS, aims=AIMS):
    """Returns the whole page. `facts` are names and texts about the run. `plots` maps a measure to a file."""
    head = [*head, _facts_table(facts), *aims, aims_table(results, ours)]
    shown = [one for one in results if one.name not in DATA_ONLY]
    return "\n\n".join(head + [section(one, labels, plots.get(one.name)) for one in shown]) + "\n"
