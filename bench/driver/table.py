# SPDX-License-Identifier: Apache-2.0
"""Formats the results as Markdown. Pure."""

from dataclasses import replace

from .result import judge, pairwise_ratios, quartiles


CYCLE = "a cycle is an acquire and its release"


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
    reference = result.reference_of(peer)
    if peer == reference and result.values(case, peer):
        return "1"
    ratios = pairwise_ratios(result.values(case, reference), result.values(case, peer))
    return spread(ratios) if ratios else "–"


def _row(cells):
    return "| " + " | ".join(cells) + " |"


def _unit(result):
    """Returns the unit for a header or a row, which a reader may read alone."""
    explained = "cycle" not in result.unit or "acquire and release" in result.title
    return result.unit if explained else f"{result.unit}; {CYCLE}"


def measure_table(result, labels):
    """Makes a row for each peer and a column for each case. With a reference, each cell also has the ratio to the
    reference, computed round by round. The header names the measure and its unit.
    """
    cases = result.all_cases()
    header, rule = [f"{result.title} ({_unit(result)}): median (quartiles)"], ["---"]
    for case in cases:
        header.append(case)
        rule.append("---:")
        if result.reference:
            header.append("ratio: Turnstile on the same kind of server ÷ this row" if isinstance(result.reference, dict)
                          else f"ratio: {result.label_of(result.reference, labels)} ÷ this row")
            rule.append("---:")
    lines = [_row(header), _row(rule)]
    for peer in result.all_peers():
        cells = [result.label_of(peer, labels)]
        for case in cases:
            cells.append(_cell(result, case, peer))
            if result.reference:
                cells.append(_ratio_cell(result, case, peer))
        lines.append(_row(cells))
    return "\n".join(lines)


AIM = "aim for Turnstile (×: times the value of the named lock, program or case)"
VALUE = "value of Turnstile, or its ratio if the aim compares two values"
FLOOR = "the same for the floor, a program that does only the necessary work"


def aims_table(results, ours):
    lines = [_row(["measure, its case, and the unit", AIM, VALUE, "aim reached?", FLOOR]),
             _row(["---", "---", "---:", "---", "---:"])]
    for result in results:
        for aim in result.aims:
            found = judge(result, aim, ours)
            cells = ["not measured", ""] if found is None else \
                [number(found[0]), "reached" if found[1] else "**missed**"]
            floor = judge(result, replace(aim, of=aim.floor), ours) if aim.floor else None
            limit = number(floor[0]) if floor else ""
            lines.append(_row([f"{result.title}, {aim.case} ({_unit(result)})", aim.text, *cells, limit]))
    return "\n".join(lines)


def _meaning(result):
    return f" ({CYCLE})" if "cycle" in result.unit else ""


def section(result, labels, plot):
    better = {"lower": "lower is better", "higher": "higher is better"}[result.better]
    parts = [f"## {result.title}", f"The values are {result.unit}{_meaning(result)}; {better}. {result.about}".strip(),
             measure_table(result, labels), *result.remarks]
    if plot:
        parts.append(f"![{result.title}]({plot})")
    return "\n\n".join(parts)


ALL_PEERS = ("# Benchmarks",
             "`scripts/bench` writes this page from the data of one run, `benchmarks/data.json`. It compares Turnstile "
             "with *peers*, the locks of other programs. In each round every peer is measured once, in changing order. A "
             "value is the median of the rounds, with the quartiles in brackets; a ratio is the median of the rounds' "
             "ratios. [bench/README.md](../../bench/README.md) describes the peers and the measures.")
AIMS = ("## Aims",
        "The floor is a peer that does only the necessary work: the bare C client or, inside a process, a queue without a "
        "server.")
VERSION = "version of "  # begins the names of facts that share one row of the page


def _facts_table(facts):
    """Makes a row for each fact, and one row for all versions."""
    rows = {name: text for name, text in facts.items() if not name.startswith(VERSION)}
    versions = [f"{name.removeprefix(VERSION)} {text}" for name, text in facts.items() if name.startswith(VERSION)]
    if versions:
        rows["versions"] = "; ".join(versions)
    lines = [_row([name, text.replace("|", "\\|")]) for name, text in rows.items()]
    return "\n".join(["<!-- scripts/bench makes the facts -->", _row(["fact about the run", "value"]), _row(["---", "---"]), *lines,
                      "<!-- end of the facts -->"])


def page(results, labels, facts, plots, ours, head=ALL_PEERS, aims=AIMS):
    """Returns the whole page. `facts` are names and texts about the run. `plots` maps a measure to a file."""
    head = [*head, _facts_table(facts), *aims, aims_table(results, ours)]
    return "\n\n".join(head + [section(one, labels, plots.get(one.name)) for one in results]) + "\n"
