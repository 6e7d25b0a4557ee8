#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds include circles: rooms that need each other. A header and the source beside it are a "room".

    circles.py [FOLDER]      (default: the checkout that contains this file)

Prints a line for each circle. The tree must not contain a circle.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


def read_includes(root):
    """Returns for each file, by its include name, the names that it includes."""
    files = {}
    for base, folder in (("src", ""), ("include", ""), ("testing", ""), ("tests", "verification")):
        for path in sorted((root / base / folder).rglob("*.[ch]pp")):
            name = path.relative_to(root / base).as_posix()
            files[name] = INCLUDE.findall(path.read_text(encoding="utf-8"))
    return files


def room_of(name):
    return name.rpartition(".")[0]


def graph_of(files):
    graph = {room_of(name): set() for name in files}
    for name, includes in files.items():
        graph[room_of(name)].update(room_of(other) for other in includes if other in files)
    for room, others in graph.items():
        others.discard(room)
    return graph


def reachable(start, edges):
    seen, waiting = {start}, [start]
    while waiting:
        for room in edges[waiting.pop()] - seen:
            seen.add(room)
            waiting.append(room)
    return seen


def circles_in(graph):
    back = {room: set() for room in graph}
    for room, others in graph.items():
        for other in others:
            back[other].add(room)
    circles, left = [], set(graph)
    while left:
        start = min(left)
        circle = reachable(start, graph) & reachable(start, back)
        left -= circle
        if len(circle) > 1:
            circles.append(circle)
    return circles


def name_of(circle):
    folder = min(circle).rpartition("/")[0]
    return folder + ": " + " ".join(sorted(room.removeprefix(folder + "/") for room in circle))


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]
    found = {name_of(circle) for circle in circles_in(graph_of(read_includes(root)))}
    for name in sorted(found):
        print(f"{name}: include each other")


if __name__ == "__main__":
    main()
