# SPDX-License-Identifier: Apache-2.0
"""Holds the values of a measure, and computes their statistics. Pure: uses no process, no clock and no file."""

import statistics
from dataclasses import dataclass, field


@dataclass
class Aim:
    """An aim: the required value of one case, as a ratio to a peer's value or as a number."""
    text: str
    case: str
    limit: float
    at_most: bool
    versus: str = ""  # the peer to compare with; empty: the value itself counts
    versus_case: str = ""  # compares with this other case of the same peer
    of: str = ""  # peer whose value counts; empty: the library's
    floor: str = ""  # a peer that does only the necessary work, so that its value is attainable


@dataclass
class Result:
    """A measure: for each case and peer, a value of each round, or the reason why there is none."""
    name: str
    title: str
    unit: str
    better: str  # "lower" or "higher" is better
    about: str = ""
    scale: str = "linear"  # scale of the plot
    shape: str = "bars"  # form of the plot: "bars"; "lines" if the cases are numbers; "" for no plot
    reference: object = ""  # the row to which ratios refer, or {peer: row}; empty: no ratios
    aims: list = field(default_factory=list)
    cases: dict = field(default_factory=dict)  # case -> peer -> values in the order of the rounds
    errors: dict = field(default_factory=dict)  # case -> peer -> text of the error
    remarks: list = field(default_factory=list)  # sentences about the run itself
    classes: dict = field(default_factory=dict)  # class in a peer's label -> class that this measure uses instead
    shown: list | None = None  # cases on the page; None: all; empty: the page omits the measure

    @classmethod
    def of_data(cls, data):
        """Makes a result from its values in a page's data (dataclasses.asdict)."""
        return cls(**{**data, "aims": [Aim(**aim) for aim in data["aims"]]})

    def add(self, case, peer, value):
        self.cases.setdefault(case, {}).setdefault(peer, []).append(value)

    def fail(self, case, peer, text):
        self.errors.setdefault(case, {})[peer] = text

    def failed(self, case, peer):
        return peer in self.errors.get(case, {})

    def values(self, case, peer):
        """Returns the values, or an empty list if a round failed: a part of the rounds is no result."""
        return [] if self.failed(case, peer) else self.cases.get(case, {}).get(peer, [])

    def reference_of(self, peer):
        return self.reference.get(peer, "") if isinstance(self.reference, dict) else self.reference

    def label_of(self, peer, labels):
        label = labels.get(peer, peer)
        for mutex, used in self.classes.items():
            label = label.replace(mutex, used)
        return label

    def all_cases(self):
        return list(dict.fromkeys([*self.cases, *self.errors]))

    def page_cases(self):
        return [case for case in self.all_cases() if self.shown is None or case in self.shown]

    def all_peers(self):
        found = (peer for case in self.all_cases() for part in (self.cases, self.errors)
                 for peer in part.get(case, {}))
        return list(dict.fromkeys(found))


def quartiles(values):
    """Returns (first quartile, median, third quartile)."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    first, middle, third = statistics.quantiles(values, n=4, method="inclusive")
    return first, middle, third


def pairwise_ratios(ours, theirs):
    """Returns the ratio of each round, in order. Both values of a round come from the same state of the machine."""
    return [mine / other for mine, other in zip(ours, theirs) if other != 0]


def judge(result, aim, ours):
    """Returns (median of the aim's value, whether the aim is reached), or None if the value was not measured."""
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
