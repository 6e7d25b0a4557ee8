# SPDX-License-Identifier: Apache-2.0
"""Reads the mutants from their files, and finds their places in the sources."""

import collections
import dataclasses
import pathlib
import re
import tomllib

import cpp_source
import operators
import schemata

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
MUTANTS = ROOT / "tests" / "simulation" / "mutants"
SOURCES = ["include", "src", "testing", "tests/verification"]


class Mistake(Exception):
    """Error: a mutant's file or the sources have a fault. The text says which, for people."""


@dataclasses.dataclass
class Mutant:
    name: str
    number: int  # selects the mutant with its defence on; number + 1 selects the mutant with its defence off
    rows: str
    fault: str
    changes: list  # one table for each changed place
    defence: str = ""  # name of the defence that hides the fault
    without_defence: list = dataclasses.field(default_factory=list)
    equivalent: str = ""  # reason why no check can find the fault
    seeds: int = 0  # number of histories, if a rare interleaving needs more than usual; 0: the usual number
    work: str = "locks"  # the kind of work in which histories must show the fault

    @property
    def unmasked_number(self):
        return self.number + 1


def read_mutant(path, number):
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        masked = data.pop("masked_by", {"defence": "", "at": []})
        made = Mutant(
            name=path.stem,
            number=number,
            rows=data.pop("rows"),
            fault=" ".join(data.pop("fault").split()),
            equivalent=" ".join(data.pop("equivalent", "").split()),
            seeds=data.pop("seeds", 0),
            work=data.pop("work", "locks"),
            changes=data.pop("at"),
            defence=" ".join(masked["defence"].split()),
            without_defence=masked["at"],
        )
    except (tomllib.TOMLDecodeError, KeyError) as problem:
        raise Mistake(f"{path.name}: {problem}") from problem
    if data:
        raise Mistake(f"{path.name}: it has {', '.join(data)}, which says nothing")
    return made


def read_mutants():
    paths = sorted(MUTANTS.glob("*.toml"))
    if not paths:
        raise Mistake(f"no mutants in {MUTANTS}")
    mutants = [read_mutant(path, 2 * i + 1) for i, path in enumerate(paths)]
    by_name = {one.name: one for one in mutants}
    for mutant in mutants:
        for changes in (mutant.changes, mutant.without_defence):
            changes[:] = [spelled_out(one, by_name, mutant.name) for one in changes]
    return mutants


def spelled_out(change, by_name, wanted_by):
    """Returns the change itself. If the change refers with "like" to another mutant, returns that mutant's change at
    the same place.
    """
    if "like" not in change:
        return change
    model = by_name.get(change["like"])
    found = [one for one in model.changes if one["place"] == change["place"]] if model else []
    if len(found) != 1 or "like" in found[0] or set(change) != {"place", "like"}:
        raise Mistake(f"{wanted_by}: {change['like']} does no one thing at {change['place']}")
    return found[0]


class Tree:
    """The sources, parsed only as far as the search for places needs."""

    def __init__(self, root=ROOT):
        self.root = root
        self.texts = {
            str(path.relative_to(root)): path.read_text(encoding="utf-8")
            for top in SOURCES
            for path in sorted((root / top).rglob("*.?pp"))
        }
        self.sources = {}
        self.marked = collections.defaultdict(list)  # maps a place's name to its files and nodes
        for file, text in self.texts.items():
            if "place: " in text and cpp_source.MARK.search(text):
                for place in cpp_source.places(self.source(file)):
                    self.marked[place.name].append((f"{file}:{place.line}", file, place.node))

    def source(self, file):
        if file not in self.sources:
            try:
                self.sources[file] = cpp_source.Source(self.texts[file])
            except cpp_source.NotUnderstood as problem:
                raise Mistake(f"{file}: {problem}") from problem
        return self.sources[file]

    def functions(self, name):
        """Returns the functions with this qualified name, which may include the parameters."""
        last = re.compile(rf"\b{re.escape(name.split('(')[0].split('::')[-1])}\(")
        for file, text in self.texts.items():
            if last.search(text):
                for one in self.source(file).functions:
                    if name in (one.name, one.name.split("(")[0]):
                        yield file, file, one

    def find(self, place):
        """Returns the file and the node of a place."""
        found = list(self.functions(place)) if "::" in place else self.marked.get(place, [])
        if len(found) != 1:
            where = ", ".join(one[0] for one in found)
            raise Mistake(f"there are {len(found)} places {place}, not one" + (f": {where}" if where else ""))
        _, file, node = found[0]
        if node is None:
            raise Mistake(f"the place {place} marks no statement in {file}")
        return file, node

    def edit(self, change):
        """Returns the file of a change, and its edit."""
        wanted = dict(change)
        place = wanted.pop("place", None)
        if place is None:
            raise Mistake("a change names no place")
        file, node = self.find(place)
        try:
            return file, operators.edit(self.source(file), node, wanted)
        except operators.Inapplicable as problem:
            raise Mistake(f"{place}: {problem}") from problem


def resolve(tree, mutants):
    """Returns two values: for each file its edits, each with the numbers of the mutants that switch it on; and the
    problems.
    """
    edits = collections.defaultdict(lambda: collections.defaultdict(set))
    problems = []
    for mutant in mutants:
        try:
            faults = [tree.edit(one) for one in mutant.changes]
            defences = [tree.edit(one) for one in mutant.without_defence]
        except Mistake as problem:
            problems.append(f"{mutant.name}: {problem}")
            continue
        for file in {file for file, _ in faults + defences}:
            if schemata.overlapping([e for f, e in faults + defences if f == file]):
                problems.append(f"{mutant.name}: one of its places lies inside another one")
        for file, edit in faults:
            edits[file][edit] |= {mutant.number, mutant.unmasked_number}
        for file, edit in defences:
            edits[file][edit].add(mutant.unmasked_number)
    return edits, problems


def unused(tree, mutants):
    used = {one["place"] for m in mutants for one in m.changes + m.without_defence if "place" in one}
    return [f"{where[0][0]}: no mutant is at the place {name}" for name, where in tree.marked.items() if name not in used]


def mutated(tree, mutants):
    """Returns the new text of each file that contains a fault."""
    edits, problems = resolve(tree, mutants)
    if problems:
        raise Mistake("\n".join(problems))
    try:
        return {file: schemata.with_faults(tree.source(file), found) for file, found in edits.items()}
    except schemata.Overlap as problem:
        raise Mistake(str(problem)) from problem


def check(tree, mutants, documented):
    """Returns the problems of the mutants, of their places and of the lists in docs/reference/mutants.md."""
    edits, problems = resolve(tree, mutants)
    for file, found in edits.items():
        try:
            schemata.with_faults(tree.source(file), found)
        except schemata.Overlap as problem:
            problems.append(f"{file}: {problem}")
    names = {one.name for one in mutants}
    for name in sorted(documented ^ names):
        problems.append(f"{name}: docs/reference/mutants.md is out of date; run scripts/mutants")
    return problems + unused(tree, mutants)
