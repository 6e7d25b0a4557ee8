# SPDX-License-Identifier: Apache-2.0
"""Compares guarded writes, and writes under sql::check and redis::check, with the servers' logs. A write with the
answer "ok" must have happened once, a refused write never, and any other write at most once. Each write must have
happened while its hold was live, and in the order of the lock's fencing tokens.
"""

import collections

from txn_log import Removal

SHELF = "/campaign-shelf"  # folder of the writes with `put`; its neighbours are marks that removals create
NUMBERS = {"counter": "commits ", "entries": "checked writes ", "shelf": "puts "}


def judge(campaign, history, verdict):
    counter = [(zxid, data) for zxid, _, data in history.writes.get("/campaign-counter", [])]
    shelf = [(zxid, data) for path, writes in history.writes.items() if path.startswith(SHELF)
             for zxid, _, data in writes]
    judge_written(campaign, "counter", counter, verdict)
    judge_written(campaign, "entries", list(enumerate(history.entries)), verdict)
    judge_written(campaign, "shelf", shelf, verdict)


def judge_written(campaign, store, all_written, verdict):
    """`all_written`: pairs (position in the order in which the servers wrote, data)."""
    written = collections.defaultdict(list)
    for place, data in all_written:
        written[data].append(place)
    told = collections.defaultdict(list)  # path of the lock -> (place in the servers' order, token, line)
    for life in campaign.lives.values():
        for commit in life.commits:
            if commit["store"] != store:
                continue
            verdict.looked["commits"] += 1
            verdict.numbers[number_of(commit)] += 1
            places = [written.get(data, []) for data in commit["data"]]
            for entry in places:
                judge_outcome(campaign, commit, len(entry), verdict)
            if len(set(map(len, places))) > 1:
                verdict.break_("commits", "written in part", commit["holds"][0].line, commit["line"])
            judge_part(commit, verdict)
            for place in sorted({place for entry in places for place in entry}):
                for hold in commit["holds"]:
                    if store != "entries":
                        judge_standing(campaign, commit, hold, place, verdict)
                    for path, token in hold.tokens.items():
                        told[path].append((place, token, commit["line"]))
    for path, writes in told.items():
        judge_tokens(path, writes, verdict)


def number_of(commit):
    what = "removals " if commit["removes"] else NUMBERS[commit["store"]]
    further = " under two holds" if len(commit["holds"]) > 1 else ""
    return what + (commit["result"] or "cut short") + further


def judge_outcome(campaign, commit, times, verdict):
    least = 1 if commit["result"] == "ok" else 0
    most = 0 if commit["result"] == "refused" else 1
    if not least <= times <= most:
        verdict.break_("commits", f"told {commit['result']}, and written {times} times",
                       commit["holds"][0].line, commit["line"],
                       at=campaign.wall(commit["at"]) if times < least else None)


def judge_part(commit, verdict):
    """A commit with `put` or `make` succeeds whatever the znode contains. Other parts require the znode's expected
    state.
    """
    if commit["part"] != "-" and not commit["removes"]:
        verdict.break_("commits", f"part {commit['part']} is refused of a commit that puts and makes",
                       commit["line"])


def judge_standing(campaign, commit, hold, place, verdict):
    """A write under a hold must happen before the hold's znode is removed."""
    for znode in hold.znodes:
        if znode.gone_zxid is not None and place > znode.gone_zxid:
            verdict.break_("commits", f"written by {place:#x}, when a znode that it was under had gone",
                           hold.line, commit["line"], Removal(znode), at=campaign.wall(commit["at"]))


def judge_tokens(path, writes, verdict):
    latest = None
    for _, token, line in sorted(writes, key=lambda write: write[0]):
        if latest is not None and token < latest[0]:
            verdict.break_("commits", f"written under a token of {path} that is smaller than one before",
                           latest[1], line)
        latest = (token, line)
