# SPDX-License-Identifier: Apache-2.0
"""Compares the workers' notes with each other. Does not read the servers' logs."""

import collections

# Nanoseconds by which an event may come after its deadline: the machine may be busy, and a campaign does not check
# speed.
SLACK = 15_000_000_000


def excludes(a, b):
    if "reader" in (a, b):
        return "writer" in (a, b)
    return True


def judge(campaign, verdict):
    forced = forced_ends(campaign)
    taken = orders_to_go(campaign)
    for hold in campaign.holds:
        hold.close(min(forced.get(hold.znode, hold.end), told_to_go(hold, taken)))
    by_path = collections.defaultdict(list)
    for hold in campaign.holds:
        for path in hold.paths:
            by_path[path].append(hold)
    for holds in by_path.values():
        if holds[0].limit:
            judge_permits(holds, verdict)
        else:
            judge_exclusion(holds, verdict)
    taken_over = failovers(campaign) if "G1" in verdict.not_promised else []
    for path, holds in by_path.items():
        if not holds[0].limit:
            judge_tokens(path, holds, forced, taken_over, verdict)
    judge_losses(campaign, forced, verdict)
    judge_calls(campaign, verdict)
    judge_liveness(campaign, by_path, verdict)


def forced_ends(campaign):
    """Returns the times at which an operator deleted a znode by force. The promises do not cover these deletions."""
    ends = {}
    for life in campaign.lives.values():
        for order in life.orders:
            if order.what == "take_now":
                ends[order.znode] = min(order.begun, ends.get(order.znode, order.begun))
    return ends


def orders_to_go(campaign):
    taken = collections.defaultdict(list)
    for life in campaign.lives.values():
        for order in life.orders:
            if order.what == "take":
                taken[order.znode.rsplit("/", 1)[0]].append(order)
    return taken


def told_to_go(hold, taken):
    """Returns the time until which the judge counts the hold as valid. If an operator's order ended the hold early, the
    hold is over before its znode is deleted, and the library informs the program in another thread a little later. So
    the hold counts until the program's own last check that found it valid.
    """
    if hold.lost is None or hold.lost >= hold.until:
        return hold.end
    for path in hold.paths:
        for order in taken[path]:
            # A hold of several locks and a converted hold have several znodes, and the worker's notes name only one
            # of them. The operator's order that ended such a hold may name a znode that the notes do not name.
            simple = hold.znode != "-" and len(hold.modes) == 1
            if simple and order.znode != hold.znode:
                continue
            if order.begun <= hold.lost and (order.ended is None or order.ended >= hold.seen):
                return max(hold.seen, order.begun)
    return hold.end


def judge_exclusion(holds, verdict):
    """G1: if two holds exclude each other, the library reports one as over before it reports the other as valid."""
    spans = sorted(((start, end, mode, hold, line) for hold in holds
                    for start, end, mode, line in hold.claims), key=lambda s: (s[0], s[1]))
    active = []
    for span in spans:
        start, _, mode, hold, line = span
        active = [s for s in active if s[1] > start]
        verdict.looked["G1"] += 1
        for other in active:
            if other[3] is not hold and excludes(mode, other[2]):
                both = min(span[1], other[1]) - start
                verdict.numbers["double grants"] += 1
                verdict.numbers["the longest of them, in ms"] = max(
                    verdict.numbers["the longest of them, in ms"], both // 1_000_000)
                verdict.break_("G1", f"two valid holds on {hold.paths[0]} for {both / 1e6:.3f} ms, "
                               f"the first claimed until {other[1]}", other[4], line)
        active.append(span)


def judge_permits(holds, verdict):
    """G1 of a semaphore: at no instant do the holders have more permits than the limit."""
    spans = sorted(((start, end, hold, line) for hold in holds
                    for start, end, _, line in hold.claims), key=lambda s: (s[0], s[1]))
    active = []
    for span in spans:
        start, _, hold, line = span
        active = [s for s in active if s[1] > start] + [span]
        verdict.looked["G1"] += 1
        out = sum(s[2].permits for s in active)
        if out > hold.limit:
            verdict.break_("G1", f"{out} permits of {hold.limit} out on {hold.paths[0]}",
                           *(s[3] for s in active))


# Name of this promise: if two holds are valid at once, the later grant has the larger token. Two Redis masters that
# serve at the same time break it, because each master gives out its own tokens.
ORDER = "order"


def failovers(campaign):
    """Returns for each failover three times: the end of the old master, the start of the new master, and the time until
    which a hold can be valid whose grant only the old master has.
    """
    session = int(campaign.settings.get("session", 0)) * 1_000_000
    spans, killed = [], 0
    for at, kind, _, _ in campaign.director:
        if kind == "server-kill":
            killed = at
        elif kind == "promoted":
            spans.append((killed, at, at + session))
    return spans


def came_late(hold, at, other_at, taken_over):
    """Returns true if the hold's grant at the time `at` can be a grant of the old master of a failover, which reached its
    program late, and the new master can have made the other grant. The program began its call before the new master
    served, and gets the grant while a grant of the old master can be valid.
    """
    return any(hold.begun < start and other_at > end and at < until for end, start, until in taken_over)


def judge_tokens(path, holds, forced, taken_over, verdict):
    """G6: of two grants that exclude each other, the later one has the larger token. A process may hand a hold over
    before it learns that the hold's znode was deleted by force. The judge ignores grants after such a deletion.

    On servers that do not promise exclusion, the new master of a failover may grant a lock whose earlier grant it lacks.
    So two holds are valid at once. Two kinds of smaller tokens show only this violation of G1, and count as such:
    - The holder by the earlier grant hands its hold from thread to thread. The new token is the znode's token with a
      higher counter.
    - The earlier grant reaches its program late (`came_late`), because the network or the program stood still.

    If two holds are valid at once on servers that do not promise ORDER, a smaller token counts as a violation of ORDER.
    """
    grants = sorted(((at, mode, said[path], hold, line) for hold in holds
                     for at, mode, said, line in hold.grants
                     if path in said and at < min(hold.until, forced.get(hold.znode, at + 1))),
                    key=lambda g: g[0])
    largest = {}  # mode -> (time, token, line, hold) of the grant with the largest token
    for at, mode, token, hold, line in grants:
        verdict.looked["G6"] += 1
        for other, (seen_at, seen, seen_line, seen_hold) in largest.items():
            if excludes(mode, other) and seen_hold is not hold and token <= seen:
                handed_on = token[1] > 0 and token[0] < seen[0]
                forgotten = handed_on or came_late(hold, at, seen_at, taken_over)
                promise = "G1" if forgotten and "G1" in verdict.not_promised else "G6"
                if seen_hold.end > at and ORDER in verdict.not_promised:
                    promise = ORDER
                verdict.break_(promise, f"{path}: token {token} is granted after {seen}", seen_line, line)
        if mode not in largest or token > largest[mode][1]:
            largest[mode] = (at, token, line, hold)


def judge_losses(campaign, forced, verdict):
    """G5: the library reports the end of each hold that ends without a release."""
    for hold in campaign.holds:
        life = hold.life
        if hold.role in ("latch", "election", "job"):
            continue  # these programs check their holds themselves
        if hold.released is not None and hold.released <= hold.until:
            continue
        verdict.looked["G5"] += 1
        if hold.lost is not None:
            late = hold.lost - hold.until - life.stopped_within(hold.until, hold.lost)
        else:
            # A holder learns of the loss from its release, if it did not learn of the loss before. If the holder
            # never releases the lock, the library may report the loss until the process ends.
            end = min(t for t in (hold.released, life.killed, life.ended, life.last) if t is not None)
            late = end - hold.until - life.stopped_within(hold.until, end)
        if late > SLACK:
            verdict.break_("G5", f"{life.worker}: over since {late / 1e9:.1f} s, and not told",
                           hold.line)


def judge_calls(campaign, verdict):
    """G7: every call returns by its deadline."""
    for call in campaign.calls:
        life = call.life
        end = call.ended
        if end is None:
            end = life.killed
            if end is None:
                verdict.looked["G7"] += 1
                verdict.break_("G7", f"{life.worker}: {call.what} never returned", call.line)
                continue
        verdict.looked["G7"] += 1
        late = end - call.deadline - life.stopped_within(call.begun, end)
        if late > SLACK:
            verdict.break_("G7", f"{life.worker}: {call.what} {late / 1e9:.1f} s after its deadline",
                           call.line)
    for _, kind, said, line in campaign.director:
        if kind == "hangs":
            verdict.break_("G7", f"{said['worker']} did not end when it was told to", line)


def judge_liveness(campaign, by_path, verdict):
    """G7: after the disturbances have ended, each path's lock is granted again."""
    if campaign.calm is None:
        return
    line = next(entry for _, kind, _, entry in campaign.director if kind == "calm")
    end = campaign.wall(campaign.ending or campaign.calm)
    for path, holds in by_path.items():
        verdict.looked["G7"] += 1
        if not any(at > campaign.calm for hold in holds for at, _, _, _ in hold.grants):
            last = max(holds, key=lambda h: h.granted)
            verdict.break_("G7", f"{path}: nobody is granted it, although all is healed", last.line,
                           line, divergence=verdict.divergences.of_path(path, end))
    entries = [e for life in campaign.lives.values() for e in life.entries]
    if entries and not any(e[1] > campaign.calm for e in entries):
        verdict.break_("G7", "nobody enters the rate gate, although all is healed", entries[-1][4],
                       line, divergence=verdict.divergences.of_path("/campaign/rate", end))
