# SPDX-License-Identifier: Apache-2.0
"""Judges whether the promises were kept. Uses only records that were made outside the library.

    judge.py FOLDER

Reads the workers' and the director's notes and the servers' transaction logs, and shares no code with the library.
docs/why/campaign.md says what each verdict means.
"""

import collections
import os
import sys

import audit_log
import claims
import diverged
import fence
import forgotten
import redis_log
import served
from records import Campaign
from txn_log import History, transactions

# Promises that do not hold on servers which lose writes at a failover. This program counts and prints their violations.
NOT_PROMISED = {"redis-replicated": {"G1", "G5"}, "redis-sentinel": {"G1", "G5", claims.ORDER}}
# On these kinds of servers a campaign tests the failover. A run in which no replica took over tests nothing.
REPLACED = ("redis-replicated", "redis-sentinel")


class Verdict:
    """The findings of the judge, by promise, and the number of cases that it examined.

    Two kinds of contradictions are faults of the servers and are kept apart. `losses`: transactions that the servers
    lost from their own logs. A loss covers a contradiction between a client's answer and the logs at an instant (`at`,
    wall clock, ms). `divergences`: contenders that a server's tree has or lacks in contradiction to the logs. If a
    violation concerns such a contender or its path, `divergence` names the divergence in the violation. `dropped`:
    znodes whose create the servers dropped (txn_log.History). The history does not have these znodes, so no
    contradiction follows from them.
    """

    def __init__(self, losses=(), divergences=None, not_promised=(), dropped=()):
        self.losses = list(losses)
        self.dropped = list(dropped)
        self.not_promised = set(not_promised)
        self.unkept = []  # violations of promises in NOT_PROMISED, in the form of `broken`
        self.divergences = divergences or diverged.Divergences()
        self.broken = []  # tuples (promise, sentence, lines)
        self.of_servers = []  # faults of the servers, in the form of `broken`
        self.looked = collections.Counter()  # promise -> number of examined cases
        self.numbers = collections.Counter()  # numbers for the report
        # Says that the event that the campaign tests (such as a failover) never happened; empty if it happened.
        self.unplayed = ""

    def break_(self, promise, sentence, *lines, at=None, divergence=None):
        covered = at is not None and any(loss.begun <= at <= loss.ended for loss in self.losses)
        if divergence is not None:
            covered, sentence = True, f"{sentence}: {divergence}"
            lines += (divergence.line,)
        where = self.of_servers if covered else self.unkept if promise in self.not_promised else self.broken
        where.append((promise, sentence, [str(line) for line in lines if line is not None]))

    def unkept_by_promise(self):
        counts = collections.Counter(promise for promise, _, _ in self.unkept)
        names = {"G1": "exclusion (G1)", claims.ORDER: "the order of fencing tokens"}
        return ", ".join(f"{count} violations of {names.get(promise, promise)}"
                         for promise, count in sorted(counts.items()))

    def faults(self):
        """Returns the faults of the servers as sentences."""
        creates = [f"the servers dropped {znode.czxid:#x}, which a majority had logged: the create of {znode.path}"
                   for znode in self.dropped]
        return [str(fault) for fault in (*self.losses, *self.divergences)] + creates

    def by_promise(self):
        counts = collections.Counter(promise for promise, _, _ in self.broken)
        return {promise: (self.looked[promise], counts[promise])
                for promise in sorted(set(self.looked) | set(counts))}


def judge(folder):
    campaign = Campaign(folder)
    kind = campaign.settings.get("servers", "zookeeper")
    logs = [os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if name.startswith("log-")]
    history = history_of(folder, campaign, logs)
    verdict = Verdict(forgotten.losses(logs, longest_session(campaign)) if logs else (),
                      diverged.Divergences(campaign.shown(), history), NOT_PROMISED.get(kind, ()),
                      history.dropped if history else ())
    claims.judge(campaign, verdict)
    fence.judge(campaign, verdict)
    if history is not None:
        served.judge(campaign, history, verdict)
    count(campaign, verdict)
    if kind in REPLACED:
        count_promotions(campaign, kind, verdict)
    return verdict


def count_promotions(campaign, kind, verdict):
    promoted = sum(what == "promoted" for _, what, _, _ in campaign.director)
    verdict.numbers["replicas promoted"] = promoted
    only = campaign.settings.get("only", "")
    if not promoted and (not only or "failover" in only.split(",")):
        verdict.unplayed = f"no replica was promoted, and that is what a campaign on {kind} is for"


def history_of(folder, campaign, logs):
    """Returns the servers' history, as their own records show it."""
    if logs:
        return History(transactions(logs), elects_leaders=True)
    if os.path.isdir(os.path.join(folder, "redis-log")):
        done, entries = redis_log.transactions(os.path.join(folder, "redis-log"))
    elif os.path.exists(os.path.join(folder, "audit")):
        done = audit_log.transactions(os.path.join(folder, "audit"), campaign.deadline_on_the_wall)
        entries = audit_log.entries(os.path.join(folder, "entries"))
    else:
        return None
    history = History(done)
    history.entries = entries
    return history


def longest_session(campaign):
    return int(campaign.settings.get("slow", 0))


def count(campaign, verdict):
    for life in campaign.lives.values():
        verdict.numbers["processes"] += 1
        verdict.numbers["processes killed"] += life.killed is not None
        verdict.numbers["times stopped"] += len(life.stops)
    for hold in campaign.holds:
        verdict.numbers["grants: " + hold.role] += 1
        verdict.numbers["holds lost"] += hold.lost is not None
    verdict.numbers["calls"] = len(campaign.calls)
    verdict.numbers["grants: rate"] = sum(len(life.entries) for life in campaign.lives.values())


def main():
    verdict = judge(sys.argv[1])
    for promise, (looked, broken) in verdict.by_promise().items():
        print(f"{promise:<12} {looked:>8} looked at, {broken} broken")
    for promise, sentence, lines in verdict.broken[:20]:
        print(f"\n{promise}: {sentence}")
        for line in lines:
            print(f"    {line}")
    for fault in verdict.faults():
        print(f"\n{fault}")
    if verdict.unkept:
        print(f"\n{len(verdict.unkept)} times what these servers do not promise: {verdict.unkept_by_promise()}")
    if verdict.of_servers:
        print(f"\n{len(verdict.of_servers)} contradictions are the servers' for it")
    if verdict.unplayed:
        print(f"\n{verdict.unplayed}")
    return 1 if verdict.broken or verdict.unplayed else 0


if __name__ == "__main__":
    sys.exit(main())
