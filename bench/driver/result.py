# SPDX-License-Identifier: Apache-2.0
"""The values of a measure, and their statistics. Pure: no process, no clock, no file."""

import statistics
from dataclasses import dataclass, field


@dataclass
class Aim:
    """The required value of one case: ours relative to a peer's, or relative to a number."""
    text: str
    case: str
    limit: float
    at_most: bool
    versus: str = ""  # a peer; empty: the value itself counts
    versus_case: str = ""  # against another case of ours instead
    of: str = ""  # the peer whose value it is; empty: ours
    floor: str = ""  # the peer that does only the necessary work: its value is attainable


@dataclass
class Result:
    """A measure: a value a round for each case and peer, or the reason why there is none."""
    name: str
    title: str
    unit: str
    better: str  # "lower" or "higher"
    about: str = ""
    scale: str = "linear"  # scale of the plot's values
    shape: str = "bars"  # the form of the plot; "lines" if the cases are numbers; "" for none
    reference: object = ""  # the row to which ratios refer, or {peer: row}; empty: no ratios
    aims: list = field(default_factory=list)
    cases: dict = field(default_factory=dict)  # case -> peer -> values, in the order of the rounds
    errors: dict = field(default_factory=dict)  # case -> peer -> text
    remarks: list = field(default_factory=list)  # remarks of the run itself, as sentences

    def add(self, case, peer, value):
        self.cases.setdefault(case, {}).setdefault(peer, []).append(value)

    def fail(self, case, peer, text):
        self.errors.setdefault(case, {})[peer] = text

    def failed(self, case, peer):
        return peer in self.errors.get(case, {})

    def values(self, case, peer):
        """The values, or an empty list if a round failed: part of the rounds is no result."""
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
    """The ratios of the rounds, in order: both values of a round come from the same state of the machine."""
    return [mine / other for mine, other in zip(ours, theirs) if other != 0]


def judge(result, aim, ours):
    """(median of the aim's value, whether it is reached), or None if it was not measured."""
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
