# SPDX-License-Identifier: Apache-2.0
"""Implements the operators of the mutants' files, which change the code at a place
(tests/simulation/mutants/README.md).
"""

import dataclasses
import re

from cpp_source import NotUnderstood

NARROWING = {"operand", "argument"}
WITH_TEXT = {"text", "before", "after", "replace"}
OPERATORS = WITH_TEXT | {
    "skip", "condition", "negate", "drop", "keep", "and", "or", "compare", "value", "same_as", "number", "add", "returns", "only_if"
}
COMPARISON = re.compile(r"(?<=\s)(==|!=|<=|>=|<|>)(?=\s)")


class Inapplicable(Exception):
    """Error: an operator does not fit the place. The text says why, for people."""


@dataclasses.dataclass(frozen=True)
class Edit:
    """An edit: a range of a source, and the text that replaces it while the fault is on."""

    start: int
    end: int
    fault: str
    form: str  # condition, expression, statement, before, after


def _inner(source, start, end):
    """Returns the range without the brackets that enclose it."""
    start, end = source.trimmed(start, end)
    while start < end and source.code[start] == "(" and source.match[start] == end - 1:
        start, end = source.trimmed(start + 1, end - 1)
    return start, end


def _find(source, start, end, pattern):
    for i in source.outer(start, end):
        found = pattern.match(source.code, i, end)
        if found and source.code[i - 1] not in "<>=!&|+-*/%^":
            return found
    return None


def expression(source, node):
    """Returns the range of the expression that a statement evaluates."""
    start, end = node.start, node.end - 1
    if node.head:
        start, end = node.head
        cuts = [i for i in source.outer(start, end) if source.code[i] == ";"]
        if node.kind == "for":
            if len(cuts) != 2:
                raise Inapplicable("a loop over a range has no condition")
            start, end = cuts[0] + 1, cuts[1]
        elif cuts:
            start = cuts[-1] + 1
        return source.trimmed(start, end)
    if node.kind == "return":
        return source.trimmed(start + len(re.compile(r"\w+").match(source.code, start)[0]), end)
    assigned = _find(source, start, end, re.compile(r"[-+*/|&]?=(?!=)"))
    if assigned:
        return source.trimmed(assigned.end(), end)
    if node.kind == "declaration":
        opened = [i for i in source.outer(start, end) if source.code[i] in "{("]
        if not opened:
            raise Inapplicable("the declaration initializes nothing")
        return source.trimmed(opened[0] + 1, source.match[opened[0]])
    return source.trimmed(start, end)


def _condition(source, start, end):
    """Returns the range of the condition before the ? of a choice."""
    choice = next((i for i in source.outer(start, end) if source.code[i] == "?"), None)
    return source.trimmed(start, choice) if choice else (start, end)


def _argument(source, start, end, number):
    calls = [i for i in source.outer(start, end) if source.code[i] == "("]
    if not calls:
        raise Inapplicable("no call")
    opened = calls[-1]
    cuts = [i for i in source.outer(opened + 1, source.match[opened]) if source.code[i] == ","]
    edges = [opened, *cuts, source.match[opened]]
    if not 1 <= number < len(edges):
        raise Inapplicable(f"the call has {len(edges) - 1} arguments, not {number}")
    return source.trimmed(edges[number - 1] + 1, edges[number])


def _as_list(value):
    return value if isinstance(value, list) else [value]


class Target:
    """The expression at a place. A mutant may narrow it to an operand or an argument."""

    def __init__(self, source, node, wanted):
        self.source, self.node = source, node
        self.whole = expression(source, node)
        self.range = self.whole
        if "argument" in wanted:
            self.range = _argument(source, *self.whole, wanted["argument"])
        self.narrowed = "argument" in wanted
        for number in _as_list(wanted.get("operand", [])):
            _, operands = self.operands(self.condition())
            if not 1 <= number <= len(operands):
                raise Inapplicable(f"there are {len(operands)} operands, not {number}")
            self.range = operands[number - 1]
            self.narrowed = True

    def condition(self):
        return _inner(self.source, *_condition(self.source, *self.range))

    def operands(self, within):
        return self.source.operands(*_inner(self.source, *within))

    def text(self, start, end):
        return self.source.plain[start:end]


def _chain(target, numbers, kept):
    start, end = target.condition()
    sign, operands = target.operands((start, end))
    if not sign:
        raise Inapplicable("there is no && or || in it")
    for number in numbers:
        if not 1 <= number <= len(operands):
            raise Inapplicable(f"there are {len(operands)} operands, not {number}")
    chosen = [r for n, r in enumerate(operands, 1) if (n in numbers) == kept]
    if not chosen:
        raise Inapplicable("no operand is left")
    return start, end, f" {sign} ".join(target.text(*r) for r in chosen)


def _compare(target, wanted):
    start, end = target.condition()
    found = [
        i for i in target.source.outer(start, end) if COMPARISON.match(target.source.code, i) and i > start
    ]
    if len(found) != 1:
        raise Inapplicable(f"{len(found)} comparisons, not one")
    old = COMPARISON.match(target.source.code, found[0])
    sign, _, right = wanted.partition(" ")
    return start, end, f"{target.text(start, old.start())}{sign} {right or target.text(old.end() + 1, end)}"


def _number(target, value):
    start, end = target.whole
    found = list(re.compile(r"(?<![\w.])\d+(?![\w.])").finditer(target.source.code, start, end))
    if len(found) != 1:
        raise Inapplicable(f"{len(found)} numbers, not one")
    return found[0].start(), found[0].end(), str(value)


def _changed(target, name, value):
    """Returns the range that the operator changes, and the range's new text."""
    start, end = target.condition()
    text = target.text(start, end)
    if name == "condition":
        if value not in ("always", "never"):
            raise Inapplicable("a condition is always or never")
        return start, end, "true" if value == "always" else "false"
    if name == "negate":
        return start, end, f"!({text})"
    if name == "and":
        return start, end, f"(({text}) && ({value}))"
    if name == "or":
        return start, end, f"(({text}) || ({value}))"
    if name in ("drop", "keep"):
        return _chain(target, _as_list(value), name == "keep")
    if name == "compare":
        return _compare(target, value)
    if name == "number":
        return _number(target, value)
    if name == "same_as":
        return *target.range, target.text(*_argument(target.source, *target.whole, value))
    if name == "add":
        return *target.range, f"{target.text(*target.range)} + ({value})"
    return *target.range, value


def _in_statement(source, node, start, end, text):
    """Returns the edit that replaces the range start..end of a statement by the text."""
    if node.head or node.kind == "declaration":
        if not node.head or node.head[0] <= start < node.head[1]:
            outer = expression(source, node)
            if not (outer[0] <= start and end <= outer[1]):
                raise Inapplicable("outside of what the declaration or the condition evaluates")
            fault = source.plain[outer[0] : start] + text + source.plain[end : outer[1]]
            return Edit(*outer, fault, "condition" if node.head else "expression")
    return Edit(
        node.start, node.end, source.plain[node.start : start] + text + source.plain[end : node.end], "statement"
    )


def _replaced(source, node, piece, text):
    ranges = [node.head, (node.start, node.end)] if node.head else [(node.start, node.end)]
    for start, end in ranges:
        count = source.plain.count(piece, start, end)
        if count == 1:
            at = source.plain.index(piece, start, end)
            return _in_statement(source, node, at, at + len(piece), text)
    raise Inapplicable(f'"{piece}" is {count} times there, not once')


def _of_function(node, name, value):
    texts = {"skip": "return;", "returns": f"return {value};", "text": f"{value}\nreturn;", "before": value}
    return Edit(node.body[0], node.body[0], texts[name], "before")


def _sole_statement(node):
    if len(node.children) != 1:
        raise Inapplicable(f"the function has {len(node.children)} statements, not one")
    return node.children[0]


def edit(source, node, wanted):
    """Returns the edit that an operator makes at a place. `wanted` has the operator, and may narrow the place."""
    names = set(wanted) - NARROWING
    if len(names) != 1 or not names <= OPERATORS:
        raise Inapplicable(f"one operator is wanted, not {', '.join(sorted(names)) or 'none'}")
    name = names.pop()
    value = wanted[name]
    if node.kind == "function":
        if name in ("skip", "returns", "text", "before"):
            return _of_function(node, name, value)
        node = _sole_statement(node)
    if name in ("before", "after"):
        at = node.start if name == "before" else node.end
        if node.in_block:
            return Edit(at, at, value, name)
        whole = source.plain[node.start : node.end]
        return Edit(node.start, node.end, value + whole if name == "before" else whole + value, "statement")
    if name in ("skip", "returns", "text", "only_if"):
        if node.kind == "declaration":
            raise Inapplicable("a declaration cannot be left out")
        whole = source.plain[node.start : node.end]
        texts = {"skip": ";", "returns": f"return {value};", "text": value, "only_if": f"if ({value}) {{ {whole} }}"}
        return Edit(node.start, node.end, texts[name], "statement")
    if name == "replace":
        return _replaced(source, node, *value)
    try:
        start, end, text = _changed(Target(source, node, wanted), name, value)
    except NotUnderstood as problem:
        raise Inapplicable(str(problem)) from problem
    return _in_statement(source, node, start, end, text)
