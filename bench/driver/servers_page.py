# SPDX-License-Identifier: Apache-2.0
"""Makes the text around the comparison of servers. Pure."""

import re
import statistics

from .compared import DURABILITY

COSTS = ("servers-uncontended", "servers-contended", "servers-queue", "servers-crash")
COSTS_PLACE = re.compile(r"(<!-- costs: [^>]*-->\n).*?(<!-- end of costs -->)", re.DOTALL)

AIMS = ("## Aims",
        "Both values of a ratio come from servers with the same durability. With data on disk, a ratio mostly compares the "
        "number of syncs. For the aims on Redis, the floor (a program that does only the necessary work) is \"Redis: BLPOP and "
        "LPUSH (in C)\".")


def head():
    durability = "\n".join(f"| {server} | {memory} | {disk} |" for server, memory, disk in DURABILITY)
    return ("# The same lock on each kind of server",
            "`scripts/bench --compare-servers` writes this page from the data of one run, `comparison/data.json`. It "
            "compares `turnstile::mutex` on each kind of server with the usual locks on that server. \"Insert and "
            "delete of a row\" is a floor, a program that does only the necessary work. It inserts and deletes a row "
            "by two commits, without waits, expiry or events. In each round the script measures every lock and "
            "program once, in changing order. A value is the median of the rounds, with the quartiles in brackets. A "
            "ratio is the median of the rounds' ratios; for flock, its numerator is Turnstile on SQLite. "
            "[bench/README.md](../../bench/README.md) describes the measures.",
            "The locks promise different things ([choosing.md](../start/choosing.md)): `SET NX PX`, redis-py's Lock and "
            "flock have no queue; `pg_advisory_lock`, GET_LOCK and flock have no token and no lease.",
            "The following table has the settings that decide how durable a write is when its answer arrives:",
            "| kind of server | settings, with data in memory (/dev/shm) | settings, with data on disk |\n|---|---|---|\n"
            + durability)


def costs(results, labels, ours):
    """Returns a table for choosing.md: the medians of the library's results on each kind of server."""
    kinds = " | ".join(labels[name].partition(":")[0] for name in ours)
    lines = [f"| measure, case: unit | {kinds} |", "|---|" + "---:|" * len(ours)]
    for one in (one for one in results if one.name in COSTS):
        for case in one.all_cases():
            cells = " | ".join(_median(one.values(case, name)) for name in ours)
            lines.append(f"| {one.title}, {case}: {one.unit} | {cells} |")
    return "\n".join(lines)


def _median(values):
    if not values:
        return "–"
    median = statistics.median(values)
    return f"{median:,.0f}" if median >= 10 else f"{median:.1f}"


def with_costs(page, table):
    """Returns the page with the table inserted. Raises ValueError if the page lacks the marks of the table."""
    changed, places = COSTS_PLACE.subn(lambda found: f"{found[1]}\n{table}\n\n{found[2]}", page)
    if places != 1:
        raise ValueError(f"{places} places for the costs of each kind of server, where one is expected")
    return changed
