# SPDX-License-Identifier: Apache-2.0
"""What a measure found, and the statistics of it. Pure: no process, no clock, no file."""

import statistics
from dataclasses import dataclass, field


@dataclass
class Aim:
    """What issue or design ask of one case: ours against a peer's, or against a number."""
    text: str
    case: str
    limit: float
    at_most: bool
    versus: str = ""  # a peer; empty: the value itself counts
    versus_case: str = ""  # against another case of ours instead
    of: str = ""  # whose value it is; empty: ours
    floor: str = ""  # the peer that does only what must be done: what it reaches can be reached


@dataclass
class Result:
    """One measure: a value a round for each case and peer, or why there is none."""
    name: str
    title: str
    unit: str
    better: str  # "lower" or "higher"
    about: str = ""
    scale: str = "linear"  # of the plot's values
    shape: str = "bars"  # of the plot; "lines" where the cases are numbers; "" for none
    reference: object = ""  # the row whose ratios are shown, or each row's own {peer: row}; empty: none are
    aims: list = field(default_factory=list)
    cases: dict = field(default_factory=dict)  # case -> peer -> values, in the order of the rounds
    errors: dict = field(default_factory=dict)  # case -> peer -> text
    remarks: list = field(default_factory=list)  # sentences that the run itself found

    def add(self, case, peer, value):
        self.cases.setdefault(case, {}).setdefault(peer, []).append(value)

    def fail(self, case, peer, text):
        self.errors.setdefault(case, {})[peer] = text

    def failed(self, case, peer):
        return peer in self.errors.get(case, {})

    def values(self, case, peer):
        """Empty if it failed in any round: a part of the rounds is no result."""
        return [] if self.failed(case, peer) else self.cases.get(case, {}).get(peer, [])

    def reference_of(self, peer):
        return self.reference.get(peer, "") if isinstance(self.reference, dict) else self.reference

    def all_cases(self):
        return list(dict.fromkeys([*self.cases, *self.errors]))

    def all_peers(self):
        found = (peer for case in self.all_cases() for part in (self.cases, self.errors)
                 for peer in part.get(case, {}))
        return list(dict.fromkeys(found))


def quartiles(values):
    """(first quartile, median, third quartile)."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    first, middle, third = statistics.quantiles(values, n=4, method="inclusive")
    return first, middle, third


def pairwise_ratios(ours, theirs):
    """Of the rounds, in order: what both did within one round saw the same machine."""
    return [mine / other for mine, other in zip(ours, theirs) if other != 0]


def judge(result, aim, ours):
    """(median of what the aim is about, reached), or None where it was not measured."""
    whose = aim.of or ours
    mine = result.values(aim.case, whose)
    other = result.values(aim.versus_case or aim.case, aim.versus or whose)
    if not mine or not other:
        return None
    plain = not aim.versus and not aim.versus_case
    numbers = mine if plain else pairwise_ratios(mine, other)
    if not numbers:
        return None
    found = statistics.median(numbers)
    return found, found <= aim.limit if aim.at_most else found >= aim.limit
