# SPDX-License-Identifier: Apache-2.0
"""The judge: whether the promises were kept, from what was written down outside the library alone.

    judge.py FOLDER

It reads the workers' and the director's notes and the servers' transaction logs, and shares no code with
what it judges. docs/why/campaign.md says what each verdict means.
"""

import collections
import os
import sys

import claims
import diverged
import forgotten
import served
from records import Campaign
from txn_log import History, transactions


class Verdict:
    """What was found, by promise, and how much was looked at.

    Two kinds of contradictions are the servers', and are kept apart. `losses`: what the servers lost of their own
    logs; it covers a contradiction between a client's word and the logs at an instant (`at`, wall clock, ms).
    `divergences`: where a server's tree is not what the logs say; the claim that such a contender, or path, breaks
    names it (`divergence`)."""

    def __init__(self, losses=(), divergences=None):
        self.losses = list(losses)
        self.divergences = divergences or diverged.Divergences()
        self.broken = []  # (promise, sentence, lines)
        self.of_servers = []  # likewise
        self.looked = collections.Counter()  # promise -> how many cases
        self.numbers = collections.Counter()  # for the report

    def break_(self, promise, sentence, *lines, at=None, divergence=None):
        covered = at is not None and any(loss.begun <= at <= loss.ended for loss in self.losses)
        if divergence is not None:
            covered, sentence = True, f"{sentence}: {divergence}"
            lines += (divergence.line,)
        where = self.of_servers if covered else self.broken
        where.append((promise, sentence, [str(line) for line in lines if line is not None]))

    def faults(self):
        """What the servers did wrong, as sentences."""
        return [str(fault) for fault in (*self.losses, *self.divergences)]

    def by_promise(self):
        counts = collections.Counter(promise for promise, _, _ in self.broken)
        return {promise: (self.looked[promise], counts[promise])
                for promise in sorted(set(self.looked) | set(counts))}


def judge(folder):
    campaign = Campaign(folder)
    logs = [os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if name.startswith("log-")]
    history = History(transactions(logs)) if logs else None
    verdict = Verdict(forgotten.losses(logs, longest_session(campaign)),
                      diverged.Divergences(campaign.shown(), history))
    claims.judge(campaign, verdict)
    if history is not None:
        served.judge(campaign, history, verdict)
    count(campaign, verdict)
    return verdict


def longest_session(campaign):
    return int(campaign.settings.get("session", 0)) * 3 // 2


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
    if verdict.of_servers:
        print(f"\n{len(verdict.of_servers)} contradictions are the servers' for it")
    return 1 if verdict.broken else 0


if __name__ == "__main__":
    sys.exit(main())
