# SPDX-License-Identifier: Apache-2.0
"""Makes SVG drawings for the site, from the drawings in characters on the pages and from the state tables in headers.

The drawings use the colours of the page, so they follow its light or dark scheme (style.css).
"""
import html
import re
import subprocess

WIDTH, HEIGHT = 8, 18  # of a character
# Characters that are drawn as lines. Each letter is a line from the middle of the character's cell to its left (l),
# right (r), top (t) or bottom (b). The other signs are a diagonal (\), a filled circle (o) and arrowheads (><^v).
LINES = {"─": "lr", "│": "tb", "┌": "rb", "┐": "lb", "└": "rt", "┘": "lt", "├": "rtb", "┤": "ltb", "┬": "lrb",
         "┴": "lrt", "┼": "lrtb", "╲": "\\", "●": "lro", "►": "l>", "◄": "r<", "▲": "b^", "▼": "tv"}
# The last columns of a state table in which each row has one transition.
ONE_TRANSITION = ["successor", "reason for the change"]
ENDS = {"l": (-4, 0), "r": (4, 0), "t": (0, -9), "b": (0, 9)}
HEADS = {">": "-4 -4 8 4 -8 4", "<": "4 -4 -8 4 8 4", "^": "-4 4 4 -8 4 8", "v": "-4 -4 4 8 4 -8"}


def is_drawing(text):
    return bool(re.search("[─│┌└►◄]", text))


def svg_of_characters(text):
    """Returns the drawing of these lines, as SVG. Each character has a cell."""
    lines = [line.rstrip() for line in text.split("\n")]
    lines = [line[min(len(each) - len(each.lstrip()) for each in lines if each):] for line in lines]
    paths, shapes = [], []
    for row, line in enumerate(lines):
        for column, character in enumerate(line):
            x, y = column * WIDTH + WIDTH // 2, row * HEIGHT + HEIGHT // 2
            for part in LINES.get(character, ""):
                if part in ENDS:
                    paths.append(f"M{x} {y}l{ENDS[part][0]} {ENDS[part][1]}")
                elif part == "\\":
                    paths.append(f"M{x - 4} {y - 9}l8 18")
                elif part == "o":
                    shapes.append(f'<circle cx="{x}" cy="{y}" r="4"/>')
                else:
                    start, rest = HEADS[part].split(" ", 2)[:2], HEADS[part].split(" ", 2)[2]
                    shapes.append(f'<path d="M{x + int(start[0])} {y + int(start[1])}l{rest}z"/>')
        for found in re.finditer(rf"[^ {''.join(LINES)}]+( [^ {''.join(LINES)}]+)*", line):
            width = (found.end() - found.start()) * WIDTH
            shapes.append(f'<text x="{found.start() * WIDTH}" y="{row * HEIGHT + 13}" textLength="{width}">'
                          f"{html.escape(found.group())}</text>")
    width, height = max(map(len, lines)) * WIDTH, len(lines) * HEIGHT
    return figure(f'<svg viewBox="0 0 {width} {height}" width="{width}" class="characters"'
                  f' style="min-width: {min(width, 640)}px">'
                  f'<path class="line" d="{"".join(paths)}"/>{"".join(shapes)}</svg>', text)


def figure(svg, text):
    label = html.escape(" ".join(text.split()), quote=True)
    return f'<div class="drawing" role="img" aria-label="{label}">{svg}</div>'


def table(source):
    """Returns the heads and the rows of the first table in a header's comments. A state may have several rows, each with
    one transition. A cell that continues in the next row becomes one cell."""
    cells = []
    for line in source.split("\n"):
        found = re.match(r"// \|(.*)\|$", line)
        if not found and cells:
            break
        if found:
            cells.append([cell.strip() for cell in found.group(1).split("|")])
    heads, rows = cells[0], []
    own = len(heads) - 2 if heads[-2:] == ONE_TRANSITION else len(heads)  # the later columns belong to a transition
    for row in cells[2:]:
        if row[0]:
            first = len(rows)
        if row[0] or "".join(row[own:own + 1]):
            rows.append([""] * len(heads))
        for column, cell in enumerate(row):
            place = rows[first if column < own else -1]
            place[column] = f"{place[column]} {cell}".strip()
    return heads, rows


def transitions(heads, rows):
    """Returns (state, next state, event) for each transition of a state table. The table has the columns
    ONE_TRANSITION, or a last column with all next states of a state: "next: event; other, third: event"."""
    states, found = [row[0] for row in rows if row[0]], []
    for row in rows:
        state = row[0] or state
        if heads[-2:] == ONE_TRANSITION:
            found.append((state, row[-2], row[-1]))
            continue
        for part in row[-1].split(";"):
            targets, _, event = part.partition(":")
            found += [(state, target, event.strip()) for target in re.split(r", | or ", targets.strip())]
    return [each for each in found if each[1] in states]


def svg_of_states(heads, rows):
    """Returns the drawing of a state table, as SVG."""
    joined = {}
    for state, target, event in transitions(heads, rows):
        joined.setdefault((state, target), []).append(event)
    dot = ['digraph { graph [ranksep=0.4, nodesep=0.35, bgcolor=transparent]; node [shape=box, style=rounded];']
    for (state, target), events in joined.items():
        label = "\\l".join(wrapped(event) for event in events if event)
        dot.append(f'"{state}" -> "{target}" [label="{label}\\l"];')
    made = subprocess.run(["dot", "-Tsvg", "-Gfontname=sans-serif", "-Nfontname=sans-serif", "-Efontname=sans-serif",
                           "-Nfontsize=13", "-Efontsize=11"], input="\n".join([*dot, "}"]), text=True,
                          capture_output=True, check=True).stdout
    made = made[made.index("<svg"):]
    made = re.sub(r"<!--.*?-->|<title>.*?</title>", "", made, flags=re.DOTALL)
    made = re.sub(r' (fill|stroke)="(?!none|transparent)[^"]*"', "", made)
    made = re.sub(r"\s*\n\s*", "\n", made).strip()
    label = "; ".join(f"{state} to {target}: {', '.join(events)}" for (state, target), events in joined.items())
    width = round(int(re.match(r'<svg width="(\d+)pt"', made).group(1)) * 4 / 3)  # in px
    return figure(made.replace("<svg ", f'<svg class="states" style="min-width: {min(width, 640)}px" ', 1), label)


def wrapped(event):
    """Returns the event in lines of about 24 characters, in dot's syntax."""
    lines = [""]
    for word in event.replace('"', "'").replace("`", "").split():
        if len(lines[-1]) + len(word) > 24:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\\l".join(lines)
