# SPDX-License-Identifier: Apache-2.0
"""Runs a campaign: starts real servers, workers that play all recipes, and nemeses that attack the holder and the first
waiter of a lock. Then runs the judge on the records.

    director.py --stage FILE --worker FILE [--servers KIND] [--shim FILE] [--minutes N] [--seed S] [--report FILE] [--keep]

Exits with 0 if every promise was kept. Exits with 1 if a promise was broken, if the campaign was cut short, or if no
replica was promoted although one should have been. In these cases the director keeps all files and prints their folder.
"""

import argparse
import collections
import math
import os
import random
import re
import shutil
import sys
import tempfile
import time

import judge
import report
from crew import Notes, Worker, boottime, pause, poll
from kinds import KINDS
from namespace import own_mounts

PATIENCE = 60  # seconds; an answer needs about one


class Campaign:
    def __init__(self, settings, folder):
        self.settings, self.folder = settings, folder
        self.random = random.Random(settings.seed)
        self.notes = Notes(os.path.join(folder, "director.notes"))
        self.counts = collections.Counter()
        self.workers = []
        self.kind = KINDS[settings.servers](self)
        self.stage, self.observer = self.kind.stage, self.kind.observer
        self.cut_short = ""  # reason why the campaign ended before its time; empty if it did not

    def wait_for_servers(self):
        self.stage.order("wait")
        self.kind.end_standstill()
        self.notes.write("servers-serve")

    def clock(self):
        before = boottime()
        wall = time.clock_gettime_ns(time.CLOCK_REALTIME)
        self.notes.write("clock", offset=wall - (before + boottime()) // 2)

    def start(self):
        self.clock()
        self.notes.write("settings", servers=self.settings.servers, session=self.settings.session,
                         slow=self.settings.slow, freed=self.freed_within(), seed=self.settings.seed,
                         only=self.settings.only)
        self.kind.prepare()
        # Each worker process uses six recipes, so that several processes use each recipe. Among the processes of each
        # recipe are some that prefer the leader (worker.cpp).
        roles, last = self.kind.roles, self.settings.links
        for number in range(1, last):
            mine = [roles[(number * 9 + i * 5) % len(roles)] for i in range(6)]
            self.workers.append(self.worker(number, mine))
        self.workers.append(self.worker(last, ["operator"]))
        for worker in self.workers:
            worker.start()

    def worker(self, number, roles):
        where = self.kind.where(self.stage.links[number - 1])
        return Worker(number, roles, self.settings, self.folder, where)

    def freed_within(self):
        """Returns the milliseconds within which undisturbed servers delete the znodes of a killed process."""
        return 0 if self.settings.freed_at_once else self.settings.slow + 2 * self.settings.tick

    def disturb(self, until):
        nemeses = self.kind.nemeses(self)
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
        """Waits for the length of a disturbance, or for the pause between two. Returns earlier if a worker ends by
        itself.
        """
        pause(self.workers, seconds)

    def finish(self):
        self.wait_for_servers()
        self.notes.write("calm")
        self.watch_grants(at_least=self.kind.calm)
        self.notes.write("ending")
        self.end(self.workers)
        # The killed processes' sessions end by their timeout.
        freed = self.settings.slow / 1000 + 2
        poll(lambda: not self.left(), freed)
        if self.left() and self.kind.ended_by_clients:
            self.workers[0].start()
            poll(lambda: not self.workers[0].running(), freed)
            self.end(self.workers[:1])
        self.clock()
        for path, name in self.left():
            self.notes.write("left", path=path, name=name)

    def end(self, workers):
        for worker in workers:
            worker.end()
        limit = time.monotonic() + PATIENCE
        for worker in workers:
            try:
                code = worker.process.wait(max(0.1, limit - time.monotonic()))
                self.notes.write("ended", worker=worker.name, life=worker.life, code=code)
            except Exception:  # including subprocess.TimeoutExpired
                self.notes.write("hangs", worker=worker.name, life=worker.life)
                worker.kill(self.notes)

    def left(self):
        folders = [f"/campaign/{path}" for path in self.kind.paths]
        return [(folder, name) for folder in folders for name in self.observer.children(folder)]

    def watch_grants(self, at_least=0):
        """Waits for at least `at_least` seconds, until every path's lock has been granted anew. Returns the paths
        without a grant.
        """
        begun = {name: os.path.getsize(name) for name in self.worker_notes()}
        begin = time.monotonic()
        missing = set(self.kind.paths)

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
        return sorted(missing)

    def worker_notes(self):
        names = [n for n in os.listdir(self.folder) if re.fullmatch(r"worker-.*\.notes", n)]
        return [os.path.join(self.folder, name) for name in names]

    def close(self):
        """Ends every process, and keeps the servers' files."""
        for worker in self.workers:
            if worker.process and worker.running():
                worker.kill(self.notes)
        try:
            self.kind.keep()
        finally:
            self.stage.close()
            self.kind.close()


def run(settings, folder):
    campaign = Campaign(settings, folder)
    try:
        campaign.start()
        if missing := campaign.watch_grants():
            raise RuntimeError(f"not granted before anything was disturbed: {', '.join(missing)}")
        campaign.disturb(time.monotonic() + settings.minutes * 60)
        campaign.finish()
    except RuntimeError as problem:  # the judge still judges the events before the problem
        campaign.cut_short = str(problem)
    finally:
        campaign.close()
    return campaign


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for program in ("stage", "worker"):
        parser.add_argument(f"--{program}", required=True)
    parser.add_argument("--servers", choices=sorted(KINDS), default="zookeeper")
    parser.add_argument("--shim", default="", help="that stalls ZooKeeper's disks")
    parser.add_argument("--guardian", default="", help="turnstile-guardian; without it nobody has one")
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--report", default="")
    parser.add_argument("--keep", action="store_true", help="the files, also when all is well")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--only", default="", help="kinds of nemeses, by commas")
    parser.add_argument("--at", default="", help="paths below /campaign that are aimed at, by commas")
    parser.add_argument("--idle", type=int, default=2000, help="idle sessions beside the workers")
    parser.add_argument("--session", type=int, default=3000, help="timeout in milliseconds")
    made = parser.parse_args()
    made.seed = made.seed if made.seed is not None else random.SystemRandom().randrange(1 << 31)
    kind = KINDS[made.servers]
    made.links = kind.workers + 1
    made.tick, made.sync_limit = kind.tick, kind.sync_limit
    made.slow = int(made.session * kind.slow)
    made.freed_at_once = kind.freed_at_once
    made.small_disk = kind.small_disk if kind.small_disk and own_mounts() else 0
    if made.small_disk:
        made.small_disk += math.ceil(kind.disk_a_minute * made.minutes)
    if not kind.guarded:
        made.guardian = ""
    if not kind.stalls_disks:
        made.shim = ""
    return made


def main():
    settings = arguments()
    folder = tempfile.mkdtemp(prefix="turnstile-campaign-")
    print(f"campaign on {settings.servers}: seed {settings.seed}, {settings.minutes:g} minutes, files in {folder}",
          flush=True)
    if KINDS[settings.servers].small_disk and not settings.small_disk:
        print("no full disks: that needs root, and a mount namespace", flush=True)
    if settings.guardian:
        beside = os.path.join(os.path.dirname(settings.guardian), "turnstile-session-end")
        shutil.copy(beside, folder)
        settings.guardian = shutil.copy(settings.guardian, os.path.join(folder, "guardian"))
    began = time.time()
    campaign = run(settings, folder)
    verdict = judge.judge(folder)
    print(report.summary(verdict))
    if campaign.cut_short:
        print(f"cut short after {(time.time() - began) / 60:.0f} minutes: {campaign.cut_short}")
    if verdict.unplayed:
        print(f"failed: {verdict.unplayed}")
    if settings.report:
        report.put(settings.report, settings.servers, report.record(settings, campaign.counts, verdict, began))
    if verdict.broken or verdict.unplayed or campaign.cut_short:
        print(f"seed {settings.seed}; all files stay in {folder}")
        return 1
    if not settings.keep:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
