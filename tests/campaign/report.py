# SPDX-License-Identifier: Apache-2.0
"""A campaign as a page, and in a few lines."""

import os
import platform
import subprocess
import time

from kinds import KINDS

NAMES = {
    "G1": "no two valid holds; no session over before `valid_until`; permits within the limit",
    "G2": "granted with nobody ahead, by the servers' transaction logs",
    "G4": "nothing left at the end; what a killed process owned goes in time",
    "G5": "every loss told",
    "G6": "tokens grow, and are the numbers of the znodes' creations",
    "G7": "every call returns, every path is granted once all is healed",
    "commits": "guarded and checked writes: as told, under holds that stood, in the order of the tokens",
    "fence": "no write of a hold that was overtaken is taken by a store that compares tokens",
    "jobs": "at most one start per period, each run once",
    "rates": "no more entries per period than the limit",
}


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
    """Of servers that may forget: what nobody was promised, as numbers."""
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
    """The commit that was run, and whether the tree had changes."""
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


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def page(settings, counts, verdict, began):
    lines = [
        "# A campaign" + ("" if settings.servers == "zookeeper" else f" on {settings.servers}"),
        "",
        "Written by `scripts/campaign --report`; [campaign.md](campaign.md) says what was done and how it is judged.",
        "",
        f"- **When**: {time.strftime('%Y-%m-%d %H:%M', time.gmtime(began))} UTC, "
        f"{settings.minutes:g} minutes of nemeses; seed {settings.seed}",
        f"- **Commit**: {commit()}",
        f"- **Machine**: {machine()}",
        f"- **Servers**: {servers(settings)}; sessions of {settings.session} and {settings.slow} ms",
        f"- **Verdict**: {outcome(verdict)}",
        *([f"- **The servers'**: {len(verdict.of_servers)} contradictions, see the end"] if verdict.faults() else []),
        "",
        "## Promises",
        "",
    ]
    rows = [(name, NAMES.get(name, ""), looked, broken)
            for name, (looked, broken) in verdict.by_promise().items()]
    lines += table(["promise", "what was judged", "looked at", "broken"], rows)
    lines += ["", "## What was played", ""]
    lines += table(["what", "how many"], sorted(verdict.numbers.items()))
    lines += ["", "## Nemeses", ""]
    lines += ["`+flock`: while the idle sessions expire, too; `+log`: the leader's log stalled at the expiry; "
              "`+stop`, `+cut`:", "the named workers were stopped, cut off, meanwhile; `+kill`, `+end`: the server was "
              "killed, ended by itself.", ""] if settings.servers == "zookeeper" else [
                  "`+stop`: the named workers stood still meanwhile; `+kill`, `+end`: the server, or the worker, was "
                  "killed, the server", "ended by itself; `+lag`: the replicas had not heard of the last writes.", ""]
    lines += table(["nemesis", "aimed at", "times"],
                   [(kind, whom, n) for (kind, whom), n in sorted(counts.items())])
    if verdict.not_promised:
        lines += chapter("What these servers do not promise", not_promised(verdict))
    lines += chapter("Contradictions", listed(verdict.broken[:50]))
    if faults := verdict.faults():
        lines += chapter("The servers", ["", *faults] + listed(verdict.of_servers[:5]))
    return "\n".join(lines) + "\n"


def outcome(verdict):
    contradictions = f"{len(verdict.broken)} contradictions" if verdict.broken else ""
    return "; ".join(filter(None, (contradictions, verdict.unplayed))) or "clean"


def servers(settings):
    text = KINDS[settings.servers].servers
    if settings.servers == "zookeeper":
        text += f", tick {settings.tick} ms, syncLimit {settings.sync_limit}; {settings.idle} idle sessions"
    return text + (f", a disk of {settings.small_disk} MiB" if settings.small_disk else "")


def chapter(title, lines):
    return ["", f"## {title}", "", "```", *lines[1:], "```"] if lines else []
