# SPDX-License-Identifier: Apache-2.0
"""The text around the comparison of servers. Pure."""

import re
import statistics

from .compared import DURABILITY

COSTS = ("servers-uncontended", "servers-contended", "servers-queue", "servers-crash")
COSTS_PLACE = re.compile(r"(<!-- costs: [^>]*-->\n).*?(<!-- end of costs -->)", re.DOTALL)

AIMS = ("## Aims",
        "Each ratio is of one round, on one machine, with the same durability on both sides; below is the median of the "
        "rounds. In memory a sync costs next to nothing, so what is compared is what programs and servers compute; on "
        "the disk it is mostly the number of syncs.")


def head():
    durability = "\n".join(f"| {server} | {memory} | {disk} |" for server, memory, disk in DURABILITY)
    return ("# The same lock on each kind of server",
            "Written by `scripts/bench --compare-servers` from the data of one run, which is beside the plots: "
            "`turnstile::mutex` on each kind of server, what people use there for a lock, and the floor of a lock that is "
            "kept in a table (a row inserted and deleted again, two commits, with nothing that waits, expires or "
            "tells). All took part in the same run, in turns; a value is the median of the rounds, with the quartiles in "
            "brackets. \"Ours there ÷ this\" is taken round by round. What they promise is in "
            "[choosing.md](../start/choosing.md), and they promise different things: `SET NX PX`, redis-py's Lock and flock "
            "have no queue, `pg_advisory_lock`, GET_LOCK and flock no token and no lease, so a holder that is cut off "
            "from its server does not learn that its lock is gone. How it is measured: "
            "[bench/README.md](../../bench/README.md).",
            "What an answered write has survived:",
            "| | data in memory, on /dev/shm | data on disk |\n|---|---|---|\n" + durability)


def costs(results, labels, ours):
    """A table of ours on each kind of server, from the medians: what choosing.md has below its promises."""
    kinds = " | ".join(labels[name].partition(":")[0] for name in ours)
    lines = [f"| | {kinds} |", "|---|" + "---:|" * len(ours)]
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
    """The page with the table in its place. ValueError: it has none."""
    changed, places = COSTS_PLACE.subn(lambda found: f"{found[1]}\n{table}\n\n{found[2]}", page)
    if places != 1:
        raise ValueError(f"{places} places for the costs of each kind of server, where one is expected")
    return changed
