# SPDX-License-Identifier: Apache-2.0
"""Compares the workers' notes with the transaction logs of the servers."""

import bisect
import collections
import re

import commits
from claims import SLACK
from txn_log import Removal

MS = 1_000_000
CLOCKS = 5  # milliseconds by which two clocks may differ


def judge(campaign, history, verdict):
    verdict.numbers["znodes"] = len(history.znodes)
    verdict.numbers["sessions closed"] = len(history.closed)
    verdict.numbers["sessions expired"] = len(history.expired)
    by_path = {}
    for znode in history.znodes:
        by_path.setdefault(znode.path, []).append(znode)
    tie_holds(campaign, history, by_path, verdict)
    judge_order(campaign, history, verdict)
    judge_left(campaign, history, verdict)
    judge_dead(campaign, history, verdict)
    commits.judge(campaign, history, verdict)
    judge_jobs(campaign, history, verdict)
    judge_rates(campaign, history, verdict)


def number_of(name):
    """Returns (kind of lock, contender's number) from a znode's name. Returns None if the znode is no contender, or has
    another contender's number.
    """
    found = re.search(r"-(lock|latch|lease\d*|__READ__|__WRIT__)-?(\d{10})$", name)
    if not found:
        return None
    if "-__UPGR__" in name and found.group(1) == "__WRIT__":
        return None  # the contender took over another contender's number; G1 judges its exclusion
    return found.group(1), int(found.group(2))


def tie_holds(campaign, history, by_path, verdict):
    """G6: a token is the transaction number of the znode's creation. G1: the servers let no session expire before the
    valid_until of its holds. After the expiry the servers may grant the lock to another client. So an early expiry
    counts even if no client requests the lock, or if the hold has been released.
    """
    # Contenders of one transaction have the same czxid, but are in different folders. A transaction may also create a
    # znode "_probe-...", which is no contender.
    made = {(znode.folder, znode.czxid): znode for znode in history.znodes
            if not znode.name.startswith("_probe-")}
    for hold in campaign.holds:
        hold_znodes = []
        for path, (zxid, _) in hold.tokens.items():
            if hold.want in ("reader", "upgradable", "writer"):
                found = [z for z in by_path.get(hold.znode, [])]
            else:
                found = [made[path, zxid]] if (path, zxid) in made else []
                verdict.looked["G6"] += 1
                if not found:
                    verdict.break_("G6", f"no znode of {path} was created by {zxid:#x}", hold.line,
                                   at=campaign.wall(hold.granted))
            hold_znodes += found
        hold.znodes = hold_znodes
        for session in {znode.owner for znode in hold_znodes}:
            verdict.looked["G1"] += 1
            if (gone := history.gone.get(session)) is not None:
                judge_gone(campaign, hold, hold_znodes[0], gone, verdict)
            over = history.expired.get(session)
            if over is None or campaign.wall(needed_until(hold)) <= over[1] + CLOCKS:
                continue
            verdict.break_("G1", "the servers let the session expire "
                           f"{campaign.wall(hold.until) - over[1]:.0f} ms before valid_until",
                           hold.until_line, Removal(hold_znodes[0]), f"transaction logs: session "
                           f"{session:#x} expired by {over[0]:#x} at {over[1]} ms since 1970")


def needed_until(hold):
    """Returns the instant until which the hold's session must exist: valid_until, or the earlier death of a process with
    a guardian. The guardian attaches to the dead process's sessions with the shortest session timeout. If the guardian
    is then too slow to close them, the servers let them expire soon.
    """
    left = hold.life.left_to_guardian
    return hold.until if left is None else min(hold.until, left)


def judge_gone(campaign, hold, znode, gone, verdict):
    """G1: a session may expire early only if its process is dead or has given the session up. In both cases none of the
    session's holds is valid for the process any more.
    """
    life = hold.life
    dead = min((t for t in (life.killed, life.ended) if t is not None), default=hold.end)
    if campaign.wall(min(dead, hold.end)) > gone[1] + CLOCKS:
        verdict.break_("G1", f"the session of {life.worker}, which lived, was ended as that of a dead process",
                       hold.line, Removal(znode))


def excluded_by(mine, other):
    if mine == "__READ__":
        return other == "__WRIT__"
    return True


def judge_order(campaign, history, verdict):
    """G2: at a grant no contender ahead excludes the granted contender. All such znodes with lower numbers were removed
    before the worker learned of the grant.
    """
    folders = collections.defaultdict(list)
    for znode in history.znodes:
        if (said := number_of(znode.name)) is not None:
            folders[znode.folder].append((znode, *said))
    grants = collections.defaultdict(list)
    for hold in campaign.holds:
        for znode in hold.znodes:
            said = number_of(znode.name)
            at, mode = hold.grants[0][0], hold.want
            if said and mode != "upgradable" and hold.claims:
                grants[znode.folder].append((campaign.wall(at), znode, said, hold))
    for folder, znodes in folders.items():
        sweep(folder, znodes, sorted(grants[folder], key=lambda g: g[0]), verdict)


def sweep(folder, znodes, grants, verdict):
    znodes.sort(key=lambda z: z[0].made)
    standing, following = [], 0
    for at, mine, (kind, number), hold in grants:
        while following < len(znodes) and znodes[following][0].made <= at:
            standing.append(znodes[following])
            following += 1
        standing = [z for z in standing if z[0].gone is None or z[0].gone > at - 1000]
        ahead = [z for z, other, n in standing
                 if n < number and z is not mine and z.czxid < mine.czxid
                 and excluded_by(kind, other) and (z.gone is None or z.gone > at + CLOCKS)]
        verdict.looked["G2"] += 1
        if hold.limit:
            ahead = ahead if sum(map(permits_of, ahead)) + hold.permits > hold.limit else []
        if ahead:
            unseen = [verdict.divergences.of_znode(z, at) for z in ahead]
            verdict.break_("G2", f"{folder}: granted with {len(ahead)} ahead", hold.line,
                           Removal(ahead[0]), at=at, divergence=unseen[0] if all(unseen) else None)


def permits_of(znode):
    found = re.search(r"-lease(\d+)-\d{10}$", znode.name)
    return int(found.group(1)) if found else 1


def judge_left(campaign, history, verdict):
    """G4: at the campaign's end no znode is left."""
    left = [line for _, kind, _, line in campaign.director if kind == "left"]
    for znode in history.standing.values():
        left.append(Removal(znode))
    verdict.looked["G4"] += len(history.znodes)
    for line in left:
        verdict.break_("G4", "a znode is left at the end", line)


def disturbances(campaign):
    """Returns the spans in which a stable leader is not certain. A new leader restarts the session timeouts."""
    spans, begun = [], {}
    for at, kind, said, _ in campaign.director:
        if kind in ("server-stop", "server-kill", "disk-stall", "log-stall", "disk-full", "file-lock"):
            begun.setdefault(said.get("server", kind), at)
        elif kind in ("server-cont", "servers-serve", "disk-flow", "log-flow", "disk-free", "file-free"):
            spans += [(start, at) for start in begun.values()]
            begun.clear()
    return spans


def judge_dead(campaign, history, verdict):
    """G4: under a stable leader, the znodes of a killed process disappear within its session timeout and two ticks."""
    if not campaign.settings:
        return
    longest = int(campaign.settings["freed"])
    spans = disturbances(campaign)
    by_worker = collections.defaultdict(list)
    for znode in history.znodes:
        if found := re.search(r"worker-\d+", znode.data):
            by_worker[found.group()].append(znode)
    for life in campaign.lives.values():
        if life.killed is None or life.begun is None:
            continue
        killed, begun = campaign.wall(life.killed), campaign.wall(life.begun)
        limit = killed + longest + SLACK / MS
        if any(campaign.wall(b) > killed - 1000 and campaign.wall(a) < limit for a, b in spans):
            continue
        for znode in by_worker[life.worker]:
            if not begun <= znode.made <= killed:
                continue
            verdict.looked["G4"] += 1
            if znode.gone is None or znode.gone > limit:
                verdict.break_("G4", f"a znode of {life.worker}, which was killed, outlived it",
                               Removal(znode))


def judge_jobs(campaign, history, verdict):
    """A job starts at most once per period, by the time stamps of the servers' leader. Each start runs the function
    once.
    """
    for path, writes in history.writes.items():
        if not path.endswith("job-record"):
            continue
        jobs = [job for life in campaign.lives.values() for job in life.jobs]
        period = min((job[2] for job in jobs), default=0) / MS
        starts = [(when, data) for _, when, data in writes if "state=running" in data]
        for (a, first), (b, second) in zip(starts, starts[1:]):
            verdict.looked["jobs"] += 1
            if b - a < period:
                verdict.break_("jobs", f"two starts within {b - a} ms", first, second)
        seen = {}
        numbers = {int(found.group(1)) for _, data in starts
                   if (found := re.search(r"run=(\d+)", data))}
        for at, number, _, line in jobs:
            verdict.looked["jobs"] += 1
            if number in seen:
                verdict.break_("jobs", f"run {number} ran twice", seen[number], line, at=campaign.wall(at))
            if number not in numbers:
                verdict.break_("jobs", f"run {number} is not written down", line, at=campaign.wall(at))
            seen[number] = line


def judge_rates(campaign, history, verdict):
    """A period has no more entries than the limit, by the leader's time stamps. Each reported entry is in the gate's
    data.
    """
    entries = sorted((e for life in campaign.lives.values() for e in life.entries),
                     key=lambda e: e[1])
    if not entries:
        return
    limit, period = entries[0][2], entries[0][3] / MS
    for path, writes in history.writes.items():
        if not path.endswith("rate-record"):
            continue
        times = [when for _, when, _ in writes]
        for i in range(limit, len(times)):
            verdict.looked["rates"] += 1
            if times[i] - times[i - limit] < period:
                verdict.break_("rates", f"{limit + 1} entries within {times[i] - times[i - limit]} ms",
                               writes[i - limit][2], writes[i][2])
        if len(entries) > len(times):
            verdict.break_("rates", f"{len(entries)} entries told, {len(times)} written down",
                           entries[-1][4])
        for begun, told, _, _, line in entries:
            verdict.looked["rates"] += 1
            first = bisect.bisect_left(times, campaign.wall(begun) - CLOCKS)
            if first == len(times) or times[first] > campaign.wall(told) + CLOCKS:
                verdict.break_("rates", "an entry that nobody wrote down", line)
