# SPDX-License-Identifier: Apache-2.0
"""Builds the simulator that contains all mutants, and runs it."""

import dataclasses
import os
import re
import shutil
import subprocess

from catalogue import ROOT, Mistake
from schemata import HEADER, HEADER_NAME, VARIABLE

COPIED = ["CMakeLists.txt", "CMakePresets.json", "cmake", "include", "src", "testing", "tests"]
# A mutant (a faulty version of the sources) may make histories long. The simulator ends endless histories, so only slow
# histories reach this limit.
LONGEST_RUN_SECONDS = 1800
COMPARED_SEEDS = range(1, 6)
HUNT = "hunt"


@dataclasses.dataclass
class Verdict:
    seed: int = 0  # seed of the violation; 0: no violation was found
    invariant: str = ""
    what: str = ""
    problem: str = ""  # reason why the mutant could not be judged
    hunted: bool = False  # True: the hunt against the lease found the mutant


class Workshop:
    """A copy of the source tree with all mutants compiled in, and the simulator built from it."""

    def __init__(self, folder=ROOT / "build" / "mutants"):
        self.folder = folder
        self.tree = folder / "tree"
        self.build = folder / "build"
        self.program = None

    def prepare(self, texts, mutants, jobs):
        """Builds the simulator from the sources. `texts` replaces the files that contain mutants."""
        self.copy_tree(texts)
        self.call(
            ["cmake", "-G", "Ninja", "-S", str(self.tree), "-B", str(self.build)]
            + ["-DCMAKE_BUILD_TYPE=None", "-DCMAKE_COMPILE_WARNING_AS_ERROR=OFF"]
            # The build has no assertions, because the code that checks the promises must find the faults.
            + ["-DCMAKE_CXX_FLAGS=-O1 -w -DNDEBUG -DTURNSTILE_NO_CHECKS"]
            + [f"-DTURNSTILE_BUILD_{part}=OFF" for part in ("EXAMPLES", "DEMO", "BENCH")]
            + ["-DTURNSTILE_INSTALL=OFF"]
        )
        try:
            self.call(["ninja", "-C", str(self.build), f"-j{jobs}", "turnstile_simulate"])
        except Mistake as problem:
            names = suspects(str(problem), self.tree, texts, mutants)
            raise Mistake(f"{problem}\nThese mutants stand there: {', '.join(names) or 'none'}") from problem
        self.program = next(self.build.rglob("turnstile_simulate"))

    def copy_tree(self, texts):
        """Copies the tree. Unchanged files keep their time stamp, so that the build does not compile them again."""
        header = self.tree / "src" / HEADER_NAME
        wanted = {header}
        self.write(header, HEADER.encode())
        for name in COPIED:
            top = ROOT / name
            for source in [top] if top.is_file() else (p for p in top.rglob("*") if p.is_file()):
                relative = source.relative_to(ROOT)
                copy = self.tree / relative
                wanted.add(copy)
                text = texts.get(str(relative))
                self.write(copy, source.read_bytes() if text is None else text.encode())
                shutil.copymode(source, copy)
        for copy in [p for p in self.tree.rglob("*") if p.is_file()]:
            if copy not in wanted:
                copy.unlink()

    @staticmethod
    def write(path, content):
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def call(self, command):
        environment = {**os.environ, "CCACHE_BASEDIR": str(self.folder), "CCACHE_NOHASHDIR": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Mistake(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")

    # ---- playing histories

    def compare(self, plain, works):
        """Checks that the simulator, without a selected mutant, plays the same histories as a simulator without
        mutants.
        """
        for work in works:
            for seed in COMPARED_SEEDS:
                options = [*options_of(work), "--seed", str(seed)]
                ours, theirs = (fingerprint(program, options) for program in (self.program, plain))
                if ours != theirs:
                    raise Mistake(
                        f"{' '.join(options)}: with no mutant selected the fingerprint is {ours}, not {theirs} as in {plain}"
                    )

    def judge(self, number, name, seeds, work):
        """Plays the drawn histories. If none breaks a promise, plays the histories directed against the lease."""
        verdict = self.play(number, name, f"1..{seeds}", work)
        if not verdict.seed and work == "locks":
            verdict = self.play(number, name, f"1..{seeds}", HUNT)
        return verdict

    def play(self, number, name, seeds, work):
        try:
            done = subprocess.run(
                [str(self.program), *options_of(work), "--no-shrinking", "--seeds", seeds],
                env={**os.environ, VARIABLE: str(number)},
                capture_output=True,
                text=True,
                timeout=LONGEST_RUN_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as problem:
            raise Mistake(f"{name}: no end within {LONGEST_RUN_SECONDS} s") from problem
        if done.returncode == 0:
            return Verdict()
        broken = re.search(r"^broken: (\w+): (.*)$", done.stdout, re.MULTILINE)
        seed = re.search(r"^replay: .*--seed (\d+)", done.stdout, re.MULTILINE)
        if not broken or not seed:
            raise Mistake(
                f"{name}: the simulator ended with {done.returncode} and names no promise:\n"
                f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
            )
        return Verdict(int(seed[1]), broken[1], broken[2], hunted=work == HUNT)


def suspects(output, tree, texts, mutants):
    """Returns the names of the mutants whose faults are at the compiler's errors, or nearest before them."""
    numbers = set()
    for file, line in re.findall(rf"^{re.escape(str(tree))}/(\S+?):(\d+):\d+: error", output, re.MULTILINE):
        for text in reversed(texts.get(file, "").splitlines()[: int(line)]):
            if is_on := re.findall(r"turnstile_mutants::on\(([\d, ]+)\)", text):
                numbers |= {int(number) for numbers_of_one in is_on for number in numbers_of_one.split(",")}
                break
    return [one.name for one in mutants if numbers & {one.number, one.unmasked_number}]


def options_of(work):
    """Returns the simulator's arguments for a kind of work, such as "commits on redis"."""
    if work == HUNT:
        return ["--lease-hunt"]
    what, _, servers = work.partition(" on ")
    return ([] if what == "locks" else ["--work", what]) + (["--servers", servers] if servers else [])


def fingerprint(program, options):
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    done = subprocess.run(
        [str(program), *options], env=environment, capture_output=True, text=True, check=False
    )
    found = re.search(r"fingerprint (\w+)", done.stdout)
    if not found:
        raise Mistake(f"{program} {' '.join(options)} tells no fingerprint:\n{done.stdout}{done.stderr}")
    return found[1]
