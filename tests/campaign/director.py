# SPDX-License-Identifier: Apache-2.0
"""Runs a campaign: three real servers, ten workers over all recipes, nemeses aimed at the holder and the first
waiter, idle sessions beside them; then has what was written down judged.

    director.py --stage FILE --worker FILE --shim FILE [--minutes N] [--seed S] [--report FILE] [--keep]

Ends with 0 if every promise was kept, with 1 if not: then all files stay, and where they are is printed.
"""

import argparse
import collections
import os
import random
import re
import shutil
import sys
import tempfile
import time

import judge
import report
from crew import Flock, Notes, Stage, Worker, boottime, pause, poll
from lookout import Lookout
from nemeses import PATHS, Nemeses
from raw_client import Observer, mode_of

ROLES = ["mutex", "recursive", "retained", "multi", "commit", "shared", "semaphore", "election",
         "latch", "job", "rate"]
WORKERS = 10
CALM = 12  # seconds at the end in which nothing is disturbed
PATIENCE = 60  # seconds for what should take one


class Campaign:
    def __init__(self, settings, folder):
        self.settings, self.folder = settings, folder
        self.random = random.Random(settings.seed)
        self.notes = Notes(os.path.join(folder, "director.notes"))
        self.counts = collections.Counter()
        self.stage = Stage(settings, folder)
        self.observer = Observer(self.stage.servers)
        self.flock = Flock(settings, self.stage.servers, folder)
        self.workers = []
        self.lookout = Lookout(self.stage.servers, [f"/campaign/{path}" for path in PATHS], self.notes)
        self.cut_short = ""  # why, should the campaign end before its time

    def leader(self):
        for i, server in enumerate(self.stage.servers):
            if mode_of(server) == "leader":
                return i
        return None

    def wait_for_servers(self):
        self.stage.order("wait")
        self.notes.write("servers-serve")

    def clock(self):
        before = boottime()
        wall = time.clock_gettime_ns(time.CLOCK_REALTIME)
        self.notes.write("clock", offset=wall - (before + boottime()) // 2)

    def start(self):
        self.clock()
        self.notes.write("settings", session=self.settings.session, tick=self.settings.tick,
                         seed=self.settings.seed)
        self.observer.create("/campaign-counter")
        # Each worker plays six recipes, so that each recipe has five or six processes.
        for number in range(1, WORKERS + 1):
            roles = [ROLES[(number * 6 + i * 5) % len(ROLES)] for i in range(6)]
            self.workers.append(Worker(number, roles, self.settings, self.folder,
                                       self.stage.links[number - 1]))
        self.workers.append(Worker(WORKERS + 1, ["operator"], self.settings, self.folder,
                                   self.stage.links[WORKERS]))
        for worker in self.workers:
            worker.start()

    def disturb(self, until):
        nemeses = Nemeses(self)
        while time.monotonic() < until:
            self.clock()
            kind = nemeses.next()
            for worker in self.workers:
                if not worker.running():
                    raise RuntimeError(f"{worker.name} has ended by itself: see its log")
            if self.settings.verbose:
                print(f"  {kind}", flush=True)
            self.pause(self.random.uniform(0.1, 1.5))

    def pause(self, seconds):
        """How long a disturbance lasts, or comes after another; a worker that ends by itself ends it."""
        pause(self.workers, seconds)

    def finish(self):
        self.wait_for_servers()
        self.notes.write("calm")
        self.watch_grants(at_least=CALM)
        self.notes.write("ending")
        for worker in self.workers:
            worker.end()
        limit = time.monotonic() + PATIENCE
        for worker in self.workers:
            try:
                code = worker.process.wait(max(0.1, limit - time.monotonic()))
                self.notes.write("ended", worker=worker.name, life=worker.life, code=code)
            except Exception:  # subprocess.TimeoutExpired
                self.notes.write("hangs", worker=worker.name, life=worker.life)
                worker.kill(self.notes)
        # Sessions of processes that were killed end by their time-out.
        poll(lambda: not self.left(), self.settings.session / 1000 * 1.5 + 2)
        self.clock()
        for path, name in self.left():
            self.notes.write("left", path=path, name=name)

    def left(self):
        folders = [f"/campaign/{path}" for path in PATHS]
        return [(folder, name) for folder in folders for name in self.observer.children(folder)]

    def watch_grants(self, at_least=0):
        """Until every path has been granted from now on, and for `at_least` seconds."""
        begun = {name: os.path.getsize(name) for name in self.worker_notes()}
        begin = time.monotonic()
        missing = set(PATHS)

        def all_granted():
            for name in self.worker_notes():
                with open(name, encoding="utf-8", errors="replace") as file:
                    file.seek(begun.get(name, 0))
                    told = file.read()
                missing.difference_update([p for p in missing if f"/campaign/{p}:0x" in told])
                if re.search(r" entry \d+$", told, re.MULTILINE):
                    missing.discard("rate")
            return not missing and time.monotonic() >= begin + at_least

        poll(all_granted, PATIENCE)

    def worker_notes(self):
        names = [n for n in os.listdir(self.folder) if re.fullmatch(r"worker-.*\.notes", n)]
        return [os.path.join(self.folder, name) for name in names]

    def close(self):
        """Ends every process; the servers' transaction logs are kept."""
        for worker in self.workers:
            if worker.process and worker.running():
                worker.kill(self.notes)
        self.lookout.close()
        self.flock.close()
        for i, folder in enumerate(self.stage.folders):
            source = os.path.join(folder, "data", "version-2")
            target = os.path.join(self.folder, f"log-{i}")
            os.makedirs(target, exist_ok=True)
            for name in os.listdir(source) if os.path.isdir(source) else []:
                if name.startswith("log."):
                    shutil.copy(os.path.join(source, name), target)
        self.stage.close()


def run(settings, folder):
    campaign = Campaign(settings, folder)
    try:
        campaign.start()
        campaign.watch_grants()
        campaign.disturb(time.monotonic() + settings.minutes * 60)
        campaign.finish()
    except RuntimeError as problem:  # what happened until then is judged all the same
        campaign.cut_short = str(problem)
    finally:
        campaign.close()
    return campaign


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for program in ("stage", "worker", "shim"):
        parser.add_argument(f"--{program}", required=True)
    parser.add_argument("--guardian", default="", help="turnstile-guardian; without it nobody has one")
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--report", default="")
    parser.add_argument("--keep", action="store_true", help="the files, also when all is well")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--only", default="", help="kinds of nemeses, by commas")
    parser.add_argument("--idle", type=int, default=2000, help="idle sessions beside the workers")
    parser.add_argument("--session", type=int, default=3000, help="time-out in milliseconds")
    parser.add_argument("--tick", type=int, default=200)
    parser.add_argument("--sync-limit", type=int, default=5)
    made = parser.parse_args()
    made.seed = made.seed if made.seed is not None else random.SystemRandom().randrange(1 << 31)
    made.links = WORKERS + 1
    return made


def main():
    settings = arguments()
    folder = tempfile.mkdtemp(prefix="turnstile-campaign-")
    print(f"campaign: seed {settings.seed}, {settings.minutes:g} minutes, files in {folder}",
          flush=True)
    if settings.guardian:
        settings.guardian = shutil.copy(settings.guardian, os.path.join(folder, "guardian"))
    began = time.time()
    campaign = run(settings, folder)
    verdict = judge.judge(folder)
    page = report.page(settings, campaign.counts, verdict, began)
    print(report.summary(verdict))
    if campaign.cut_short:
        print(f"cut short after {(time.time() - began) / 60:.0f} minutes: {campaign.cut_short}")
    if settings.report:
        with open(settings.report, "w", encoding="utf-8") as file:
            file.write(page)
    if verdict.broken or campaign.cut_short:
        print(f"seed {settings.seed}; all files stay in {folder}")
        return 1
    if not settings.keep:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
