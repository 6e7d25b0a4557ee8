# SPDX-License-Identifier: Apache-2.0
"""The judge's model of a fenced store: it accepts a write unless it has seen a larger fencing token.

A write of a later grant *overtakes* every earlier hold that excludes the later one. Each further write of an overtaken
hold is late, because its process paused or its servers forgot its grant. The store must refuse these writes.
"""

import collections

from claims import ORDER, came_late, excludes, failovers


def judge(campaign, verdict):
    by_path = collections.defaultdict(list)
    for hold in campaign.holds:
        if hold.limit == 0 and len(hold.modes) == 1 and hold.writes:
            for path in hold.paths:
                by_path[path].append(hold)
    taken_over = failovers(campaign) if "G1" in verdict.not_promised else []
    for path, holds in by_path.items():
        judge_path(path, holds, taken_over, verdict)


def overtakes(hold, path):
    """Returns true if the hold overtakes earlier holds. It must have been valid when it was granted (an operator may
    have ended it), and the servers must have granted it. A hold that another thread handed over does not count: its
    process may not know yet that the servers granted the lock to another client.
    """
    return hold.claims and hold.tokens[path][1] == 0


def judge_path(path, holds, taken_over, verdict):
    """Judges the writes under a path's lock. Servers that do not promise exclusion may forget a grant in a failover. If
    the forgotten grant reaches its program after the new master's grant, the hold by the new master's grant is not
    overtaken.
    """
    writes = sorted(((at, hold, line) for hold in holds for at, line in hold.writes), key=lambda w: w[0])
    latest = {}  # kind of hold -> the hold whose token is the largest among the writes so far
    overtaking = {}  # kind of hold -> the latest granted hold that has written or tried to write
    for at, hold, line in writes:
        others = [overtaking[want] for want in overtaking if excludes(hold.want, want)]
        late = [other for other in others if other is not hold and other.granted > hold.granted and
                not came_late(other, other.granted, hold.granted, taken_over)]
        ahead = [latest[want] for want in latest if excludes(hold.want, want)]
        taken = all(hold.tokens[path] >= other.tokens[path] for other in ahead)
        verdict.looked["fence"] += 1
        verdict.numbers["late writes"] += bool(late)
        verdict.numbers["writes that the store refused"] += not taken
        if late and taken:
            unordered = ORDER in verdict.not_promised and all(other.granted < hold.end for other in late)
            verdict.break_(ORDER if unordered else "fence",
                           f"{path}: a late write of token {hold.tokens[path]} is taken", late[0].line, line)
        if taken and (hold.want not in latest or hold.tokens[path] > latest[hold.want].tokens[path]):
            latest[hold.want] = hold
        if overtakes(hold, path) and (
                hold.want not in overtaking or hold.granted > overtaking[hold.want].granted):
            overtaking[hold.want] = hold
