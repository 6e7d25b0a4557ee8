# SPDX-License-Identifier: Apache-2.0
"""Writes src/hot_functions.txt: the library's functions that run in about each cycle of a mutex, with and without a
queue, by Valgrind's callgrind. scripts/hot-functions builds what it needs and starts it."""

import collections
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from driver.backends import Zookeeper  # noqa: E402  the path is set first
from driver.peer import Peer  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
LIST = ROOT / "src/hot_functions.txt"
WORKLOADS = ["cycle", "unlock", "drain"]
FEW, MORE = 100, 400  # cycles of two runs, whose difference is counted: no start of a process is in it
PAGE = 4096
HEADER = """\
# SPDX-License-Identifier: Apache-2.0
# The functions of a mutex' cycle, with and without a queue, by their symbols, as GCC makes them in the release preset.
# cmake/TurnstileHotFunctions.cmake has them linked beside each other; what is missing, or too much, costs only time.
# scripts/hot-functions makes the list.
"""


def calls(output):
    """How often each function was called, by its symbol."""
    counts, names = collections.Counter(), {}
    callee = None
    for line in output.read_text().splitlines():
        if match := re.match(r"(c?)fn=\((\d+)\)(?: (.*))?", line):
            name = names.setdefault(match[2], match[3])
            callee = name if match[1] else callee
        elif match := re.match(r"calls=(\d+)", line):
            counts[callee] += int(match[1])
    return counts


def calls_in(workload, cycles, address, folder):
    output = folder / f"{workload}.{cycles}"
    valgrind = ["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={output}"]
    peer = Peer("turnstile", [*valgrind, str(BUILD / "bench/turnstile"), address], folder / "log")
    peer.ask(workload, f"/{workload}{cycles}", cycles)
    peer.end()
    return calls(output)


def symbols(file):
    """(address, size, name) of the functions in a program or a library."""
    table = subprocess.run(["nm", "--defined-only", "-S", file], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [tTwW] (\S+)$", table, re.MULTILINE)
    return [(int(address, 16), int(size, 16), name) for address, size, name in found]


def main():
    called = set()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as temporary:
        folder = Path(temporary)
        (folder / "servers").mkdir()
        servers = Zookeeper(folder / "servers", BUILD / "bench", 1, on_disk=False)
        address = servers.each()[0]
        try:
            for workload in WORKLOADS:
                few = calls_in(workload, FEW, address, folder)
                more = calls_in(workload, MORE, address, folder)
                called |= {name for name in more if more[name] - few[name] >= (MORE - FEW) / 2}
        finally:
            servers.end()
    program = symbols(BUILD / "bench/turnstile")
    places = {address for address, _, name in program if name in called}
    aliases = {name for address, _, name in program if address in places}
    in_library = {name for _, _, name in symbols(BUILD / "src/libturnstile.a")}
    hot = sorted(aliases & in_library)
    LIST.write_text(HEADER + "".join(name + "\n" for name in hot))
    pages = {page for address, size, name in program if name in hot
             for page in range(address // PAGE, (address + size - 1) // PAGE + 1)}
    print(f"{len(hot)} functions, on {len(pages)} pages of the program that was measured")


main()
