# SPDX-License-Identifier: Apache-2.0
"""Builds one source with every fault compiled in. A run selects one fault (mutant schemata: Untch, Offutt and Harrold
1993).
"""

HEADER_NAME = "selected_mutant.hpp"
VARIABLE = "TURNSTILE_MUTANT"
HEADER = f"""// The number of the fault that is on comes from the environment.
#pragma once
#include <cstdlib>

namespace turnstile_mutants {{

inline const int selected = [] {{
    const char* text = std::getenv("{VARIABLE}");
    return text == nullptr ? 0 : std::atoi(text);
}}();

template <class... Number>
constexpr bool on(Number... numbers) noexcept {{
    if (__builtin_is_constant_evaluated()) return false;
    return ((numbers == selected) || ...);
}}

}}  // namespace turnstile_mutants
"""


class Overlap(Exception):
    """Two faults that one source cannot contain; the text is for people."""


def _is_on(numbers):
    return f"turnstile_mutants::on({', '.join(str(number) for number in sorted(numbers))})"


def _wrapped(edit, numbers, original):
    if edit.form == "condition":
        return f"({_is_on(numbers)} ? bool({edit.fault}) : bool({original}))"
    if edit.form == "expression":
        return f"({_is_on(numbers)} ? ({edit.fault}) : ({original}))"
    return f"{{ if ({_is_on(numbers)}) {{ {edit.fault} }} else {{ {original}\n}} }}"


def with_faults(source, edits):
    """Returns the text with all edits in it; `edits` maps each edit to the numbers of the mutants that switch it on.

    Does not use the compiler's -include: after it the compiler would not use a precompiled header.
    """
    ordered = sorted(edits, key=lambda e: (e.start, e.start != e.end, -e.end, e.form, e.fault))
    return f'#include "{HEADER_NAME}"\n' + _render(source, 0, len(source.text), ordered, edits)


def _render(source, start, end, ordered, edits):
    made, at, i = [], start, 0
    while i < len(ordered):
        edit = ordered[i]
        made.append(source.text[at : edit.start])
        if edit.start == edit.end:
            made.append(f" if ({_is_on(edits[edit])}) {{ {edit.fault} }}\n")
            at, i = edit.end, i + 1
            continue
        within = [e for e in ordered[i:] if e.start < edit.end]
        if any(e.end > edit.end for e in within):
            raise Overlap(f"line {source.line(edit.start)}: two faults overlap")
        same = [e for e in within if (e.start, e.end) == (edit.start, edit.end)]
        inner = [e for e in within if e not in same]
        text = _render(source, edit.start, edit.end, inner, edits)
        for one in same:
            text = _wrapped(one, edits[one], text)
        made.append(text)
        at, i = edit.end, i + len(within)
    made.append(source.text[at:end])
    return "".join(made)


def overlapping(edits):
    """Returns two edits of one mutant, if one edit lies inside the other: together they would switch each other off."""
    for a in edits:
        for b in edits:
            if a is not b and a.start < a.end and a.start <= b.start and b.end <= a.end:
                return a, b
    return None
