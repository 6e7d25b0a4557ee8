# SPDX-License-Identifier: Apache-2.0
"""Describes the conditions of a result besides the code: the machine, and the versions of the programs."""

import os
import platform
import subprocess
from pathlib import Path

from . import kinds

BUSY = 0.3  # load before the run, as a fraction of the processors, above which the results are not reliable


def _first(path, key):
    for line in Path(path).read_text().splitlines():
        if line.startswith(key):
            return line.partition(":")[2].strip()
    return "unknown"


def _output(*command):
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=kinds.HERE)
    return (found.stdout or found.stderr).strip()


def _system_name():
    release = platform.freedesktop_os_release()
    return release.get("PRETTY_NAME", release["NAME"])


def commit():
    text = _output("git", "rev-parse", "--short=12", "HEAD")
    changed = _output("git", "status", "--porcelain", "--untracked-files=no")
    return text + (" with changes" if changed else "")


def stolen_seconds():
    """The processor time that the hypervisor gave to other machines, summed over all processors."""
    fields = Path("/proc/stat").read_text().splitlines()[0].split()
    return int(fields[8]) / os.sysconf("SC_CLK_TCK")


def load():
    return os.getloadavg()[0]


def load_text(before):
    text = f"{before:.2f} in the minute before the run"
    if before > BUSY * os.cpu_count():
        text += "; **the machine was busy with other work: these numbers are rough**"
    return text


def facts():
    memory = int(_first("/proc/meminfo", "MemTotal").split()[0]) / 1024**2
    return {
        "processors": f"{os.cpu_count()} × {_first('/proc/cpuinfo', 'model name')}",
        "memory": f"{memory:.0f} GiB",
        "system": f"{_system_name()}, Linux {platform.release()}",
        "compiler": _output("g++", "--version").splitlines()[0],
        "Java": _output("java", "-version").splitlines()[0],
        "Go": _output("go", "version").replace("go version ", "") if Path("/usr/bin/go").exists() else "none",
        "Python": platform.python_version(),
        "commit": commit(),
    }
