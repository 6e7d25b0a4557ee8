# SPDX-License-Identifier: Apache-2.0
"""Assigns programs to processors."""

import os
from pathlib import Path


def descendants(pid):
    """Returns the living descendants of the process. Omits descendants whose parent has ended."""
    try:
        children = [int(child) for task in Path(f"/proc/{pid}/task").iterdir()
                    for child in (task / "children").read_text().split()]
    except OSError:  # the process has ended
        return []
    return children + [further for child in children for further in descendants(child)]


def place(pids, processors):
    """Binds all threads of these processes. Threads that they start later inherit the binding."""
    for pid in pids:
        try:
            tasks = [int(task.name) for task in Path(f"/proc/{pid}/task").iterdir()]
        except OSError:
            continue
        for task in tasks:
            try:
                os.sched_setaffinity(task, processors)
            except ProcessLookupError:
                continue
