# SPDX-License-Identifier: Apache-2.0
"""Writes a campaign as a row of docs/reference/verification.md, as data in campaigns.json there, and as a few lines."""

import collections
import json
import os
import platform
import subprocess
import time

from kinds import KINDS

# The actions that the report of a campaign counts. docs/why/campaign.md explains the promises.
PLAYED = ("calls", "holds lost", "processes", "processes killed", "times stopped", "sessions expired", "znodes",
          "late writes", "writes that the store refused")
# In the report's table of all runs: the columns of numbers, and the order of the rows by the kind of server.
SHOWN = ("holds lost", "processes killed")
ORDER = list(KINDS)
UNKEPT = "violations that occurred; on these servers the library does not promise to prevent them"
NOT_PROMISED = "not promised by these servers, and seen: "


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
    late = verdict.numbers["late writes"]
    refused = not verdict.by_promise().get("fence", (0, 0))[1]
    return ["", f"{NOT_PROMISED}{verdict.unkept_by_promise() or 'nothing'}",
            f"two clients held one lock {verdict.numbers['double grants']} times, for at most "
            f"{verdict.numbers['the longest of them, in ms']} ms; "
            + (f"the store refused all {late} late writes because of their fencing tokens" if refused
               else f"the store did NOT refuse all {late} late writes")]


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


def record(settings, counts, verdict, began):
    """Returns the run as data, which docs/reference/campaigns.json keeps."""
    made = {
        "when": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(began)),
        "minutes": settings.minutes,
        "seed": settings.seed,
        "commit": commit(),
        "machine": machine(),
        "servers": f"{servers(settings)}; sessions of {settings.session} and {settings.slow} ms",
        "verdict": outcome(verdict),
        "judged": {name: looked for name, (looked, _) in verdict.by_promise().items()},
        "broken": {name: broken for name, (_, broken) in verdict.by_promise().items() if broken},
        "played": {name: verdict.numbers[name] for name in PLAYED if name in verdict.numbers},
        "nemeses": dict(sorted(by_kind(counts).items())),
    }
    if faults := verdict.faults():
        made["faults of the servers"] = f"{len(faults)}; contradictions that follow from them: {len(verdict.of_servers)}"
    if unkept := not_promised(verdict):
        made[UNKEPT] = "; ".join(unkept[1:]).removeprefix(NOT_PROMISED)
    if verdict.broken:
        made["contradictions"] = listed(verdict.broken[:50])[1:]
    return made


def by_kind(counts):
    """Returns for each nemesis the number of its attacks on all targets."""
    times = collections.Counter()
    for (kind, _), n in counts.items():
        times[kind] += n
    return times


def table(runs):
    """Returns a row for each run, then what the servers do not promise, their faults, and the contradictions."""
    lines = ["| " + " | ".join(("servers", "run", "verdict", "checks of promises", *SHOWN, "attacks")) + " |",
             "|---|---|---|" + "---:|" * (len(SHOWN) + 2)]
    for kind in sorted(runs, key=ORDER.index):
        run = runs[kind]
        broken = ", ".join(f"{name} {number} times" for name, number in run["broken"].items())
        judged = f"{sum(run['judged'].values())}" + (f" (broken: {broken})" if broken else "")
        shown = [f"{run['played'].get(name, '–')}" for name in SHOWN]
        lines.append("| " + " | ".join((
            f"`{kind}`", f"{run['when'].split()[0]}, {run['commit']}",
            run["verdict"], judged, *shown, f"{sum(run['nemeses'].values())}")) + " |")
    for title in (UNKEPT, "faults of the servers"):
        lines += ["", f"| servers | {title} |", "|---|---|"] if any(title in run for run in runs.values()) else []
        lines += [f"| `{kind}` | {run[title]} |" for kind, run in runs.items() if title in run]
    for kind, run in runs.items():
        lines += ["", f"Contradictions on `{kind}`:", "", "```", *run["contradictions"], "```"] if "contradictions" in run else []
    return "\n".join(lines) + "\n"


def put(file, kind, run):
    """Puts the run of these servers into campaigns.json beside the page, and all runs into the page's generated part. A
    page without that part gets it at the end.
    """
    data = os.path.join(os.path.dirname(file), "campaigns.json")
    runs = json.loads(text_of(data) or "{}")
    runs[kind] = run
    with open(data, "w", encoding="utf-8") as new:
        new.write(json.dumps(runs, indent=1, ensure_ascii=False) + "\n")
    begin, end = "<!-- scripts/campaign makes the campaigns -->\n", "<!-- end of the campaigns -->\n"
    before, found, rest = text_of(file).partition(begin)
    after = rest.partition(end)[2] if found else ""
    with open(file, "w", encoding="utf-8") as new:
        new.write(before + begin + table(runs) + end + after)


def text_of(file):
    if not os.path.exists(file):
        return ""
    with open(file, encoding="utf-8") as old:
        return old.read()


def outcome(verdict):
    contradictions = f"{len(verdict.broken)} contradictions" if verdict.broken else ""
    return "; ".join(filter(None, (contradictions, verdict.unplayed))) or "clean"


def servers(settings):
    text = KINDS[settings.servers].servers
    if settings.tick:
        text += f", tick {settings.tick} ms, syncLimit {settings.sync_limit}; {settings.idle} idle sessions"
    return text + (f", a disk of {settings.small_disk} MiB" if settings.small_disk else "")
