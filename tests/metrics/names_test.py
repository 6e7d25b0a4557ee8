# SPDX-License-Identifier: Apache-2.0
"""Checks that the rules, the dashboard and the page on metrics name only metrics that a program, `serve` or `elect`
has.
"""
import json
import pathlib
import re
import sys

import page

SOURCES = ["src/admin/api/metrics.cpp", "src/cli/election_answers.cpp"]


def names_in(text):
    return set(re.findall(r"\bturnstile_[a-z_]+", text))


def base(name, known):
    for ending in ("_bucket", "_sum", "_count"):
        if name.endswith(ending) and name.removesuffix(ending) in known:
            return name.removesuffix(ending)
    return name


def main(monitoring, program):
    root = monitoring.parent.parent
    with page.service(program, "local:", "/orders/17", 3_600_000) as served:
        text = page.wait_for(served, 'turnstile_lock_held{lock="/orders/{}"} 1\n')
    known = set(re.findall(r"^# TYPE (turnstile_\w+)", text, re.M))
    # The program's metrics page leaves out metrics without a value. The test adds the names of two metrics that have no
    # value here.
    known |= {"turnstile_lock_refused_total", "turnstile_lock_lease_margin_seconds"}
    library = set(known)
    for source in SOURCES:
        known |= names_in((root / source).read_text())
    dashboard = json.loads((monitoring / "dashboard.json").read_text())
    used = {
        "dashboard.json": names_in(json.dumps([p["targets"] for p in dashboard["panels"]])),
        "turnstile.rules.yaml": names_in((monitoring / "turnstile.rules.yaml").read_text()),
    }
    faults = [
        f"{where}: {name} is the name of no metric"
        for where, names in used.items()
        for name in sorted(names)
        if base(name, known) not in known
    ]
    documented = names_in((root / "docs/how-to/metrics.md").read_text())
    faults += [f"docs/how-to/metrics.md: {name} is absent" for name in sorted(library - documented)]
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2])
