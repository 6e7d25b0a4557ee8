# SPDX-License-Identifier: Apache-2.0
"""Makes the text around the comparison of servers. Pure."""

import re
import statistics

from .table import HOW_JUDGED

COSTS = ("servers-uncontended", "servers-contended", "servers-queue", "servers-crash")
COSTS_PLACE = re.compile(r"(<!-- costs: [^>]*-->\n).*?(<!-- end of costs -->)", re.DOTALL)

AIMS = ("## Aims",
        HOW_JUDGED + " On Redis this program is \"BLPOP and LPUSH\".")


def head():
    return ("# The same lock on each kind of server",
            "`scripts/bench --compare-servers` writes this page. It compares `turnstile::mutex` on each kind of server "
            "with the usual locks on that server. `comparison/data.json` has all measured values, also the values of "
            "cases that this page omits. A value is the median of several rounds, with the quartiles in brackets. A "
            "*cycle* is an acquire and its release.",
            "Two *floors*, programs that do only the necessary work, are in the tables. \"Insert and delete of a row\" "
            "makes two commits. \"BLPOP and LPUSH\" pass one element from client to client.",
            "The locks promise different things ([choosing.md](../start/choosing.md)). `SET NX PX`, redis-py's Lock "
            "and flock have no queue. `pg_advisory_lock`, GET_LOCK and flock have no token and no lease.",
            "With data on disk, every server syncs each write before it answers. With data in memory (/dev/shm), "
            "ZooKeeper and Redis sync no write; PostgreSQL, MariaDB and SQLite sync each commit.")


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
