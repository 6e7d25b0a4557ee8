# SPDX-License-Identifier: Apache-2.0
"""Writes a campaign as a section of docs/reference/verification.md, and as a few lines."""

import collections
import os
import platform
import subprocess
import time

from kinds import KINDS

# The section counts these actions. docs/why/campaign.md explains the promises.
PLAYED = ("calls", "holds lost", "processes", "processes killed", "times stopped", "sessions expired", "znodes",
          "late writes", "writes that the store refused")


def summary(verdict):
    lines = []
    for promise, (looked, broken) in verdict.by_promise().items():
        state = "kept" if broken == 0 else f"BROKEN {broken} times"
        lines.append(f"{promise:<8} {state:<18} {looked:>8} looked at")
    lines += listed(verdict.broken[:20])
    lines += not_promised(verdict)
    if faults := verdict.faults():
        lines += ["", *faults, f"{len(verdict.of_servers)} contradictions are the servers' for it:"]
        lines += listed(verdict.of_servers[:5])
    return "\n".join(lines)


def not_promised(verdict):
    """Returns the numbers of violations of promises that these servers do not make."""
    if not verdict.not_promised:
        return []
    return ["", f"not promised by these servers, and seen: {verdict.unkept_by_promise() or 'nothing'}",
            f"double grants: {verdict.numbers['double grants']}, the longest for "
            f"{verdict.numbers['the longest of them, in ms']} ms; late writes: {verdict.numbers['late writes']}, all "
            "of them " + ("refused by their tokens" if not verdict.by_promise().get("fence", (0, 0))[1] else "NOT refused")]


def listed(contradictions):
    lines = []
    for promise, sentence, where in contradictions:
        lines += ["", f"{promise}: {sentence}"] + [f"    {line}" for line in where]
    return lines


def commit():
    """Returns the tested commit, and says whether the source tree had changes."""
    try:
        here = os.path.dirname(os.path.abspath(__file__))
        name = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=here, text=True,
                              capture_output=True, check=True).stdout.strip()
        changed = subprocess.run(["git", "status", "--porcelain", "-uno"], cwd=here, text=True,
                                 capture_output=True, check=True).stdout.strip()
        return name + (", with changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def machine():
    with open("/proc/meminfo", encoding="ascii") as file:
        kilobytes = int(file.readline().split()[1])
    model = platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{os.cpu_count()} processors ({model}), {kilobytes / 1048576:.0f} GiB, {platform.system()} " \
           f"{platform.release().split('-')[0]}"


def section(settings, counts, verdict, began):
    """Returns the run as a table of two columns, followed by the contradictions."""
    rows = [
        ("when", f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime(began))} UTC, {settings.minutes:g} minutes of nemeses, "
                 f"seed {settings.seed}"),
        ("commit", commit()),
        ("machine", machine()),
        ("servers", f"{servers(settings)}; sessions of {settings.session} and {settings.slow} ms"),
        ("verdict", outcome(verdict)),
        ("judged", ", ".join(f"{name} {looked}" + (f" (broken: {broken})" if broken else "")
                             for name, (looked, broken) in verdict.by_promise().items())),
        ("played", ", ".join(f"{name} {verdict.numbers[name]}" for name in PLAYED if name in verdict.numbers)),
        ("nemeses", ", ".join(f"{kind} {times}" for kind, times in sorted(by_kind(counts).items()))),
    ]
    if faults := verdict.faults():
        rows.append(("faults of the servers", f"{len(faults)}; contradictions that follow from them: "
                                              f"{len(verdict.of_servers)}"))
    if unkept := not_promised(verdict):
        rows.append(("not promised here", "; ".join(unkept[1:])))
    lines = ["| | |", "|---|---|", *(f"| {name} | {text} |" for name, text in rows)]
    if verdict.broken:
        lines += ["", "```", *listed(verdict.broken[:50])[1:], "```"]
    return "\n".join(lines) + "\n"


def by_kind(counts):
    """Returns for each nemesis the number of its attacks on all targets."""
    times = collections.Counter()
    for (kind, _), n in counts.items():
        times[kind] += n
    return times


def put(file, name, text):
    """Replaces the page's generated part with this name, or appends the part to the page."""
    begin, end = f"<!-- scripts/campaign makes {name} -->\n", f"<!-- end of {name} -->\n"
    page = ""
    if os.path.exists(file):
        with open(file, encoding="utf-8") as old:
            page = old.read()
    before, found, rest = page.partition(begin)
    after = rest.partition(end)[2] if found else ""
    with open(file, "w", encoding="utf-8") as new:
        new.write(before + begin + text + end + after)


def outcome(verdict):
    contradictions = f"{len(verdict.broken)} contradictions" if verdict.broken else ""
    return "; ".join(filter(None, (contradictions, verdict.unplayed))) or "clean"


def servers(settings):
    text = KINDS[settings.servers].servers
    if settings.tick:
        text += f", tick {settings.tick} ms, syncLimit {settings.sync_limit}; {settings.idle} idle sessions"
    return text + (f", a disk of {settings.small_disk} MiB" if settings.small_disk else "")
