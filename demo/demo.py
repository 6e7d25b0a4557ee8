#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Five processes sell a stock under one fair lock, on a private server of the chosen kind. The demo kills a process
that holds the lock. Then it kills another holder (on ZooKeeper with a guardian) or the server, and pauses a third
process. It shows when each process waited and held the lock, and checks the promises of the lock.
"""

import argparse
import os
import pathlib
import random
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import checks
import picture
from record import KILLS, KINDS, MILLISECOND, SECOND, Event, Run, in_milliseconds, in_seconds

PATIENCE = 30 * SECOND  # time after which the demo gives up
# All sales together take about this long, whatever the number of items is. So some stock is left when the paused worker
# resumes.
SELLING = 4 * SECOND


def now():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Failure(Exception):
    pass


class Server:
    def __init__(self, program, run, folder):
        command = [program, "server", "--servers", run.servers, *common_options(run, folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.connect_string = self.answer()
        server_ms, self.boottime = map(int, self.answer().split())
        self.time = server_ms / 1000

    def answer(self):
        line = self.process.stdout.readline().strip()
        if not line:
            raise Failure("the server did not start, or ended")
        return line

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        self.answer()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def common_options(run, folder):
    return ["--folder", str(folder), "--session-timeout", str(run.session_timeout // MILLISECOND),
            "--tick", str(run.tick // MILLISECOND)]  # fmt: skip


class Crew:
    """The workers of a run. The demo disturbs them and records their events."""

    def __init__(self, program, run, folder, connect_string="", guarded=0):
        self.run, self.folder, self.workers, self.shown = run, folder, {}, 0.0
        (folder / "stock").write_text(f"left {run.items} token 0x0".ljust(63) + "\n")
        self.selector = selectors.DefaultSelector()
        for index in range(1, run.workers + 1):
            command = [program, "worker", "--servers", connect_string, *common_options(run, folder), "--index", str(index),
                       "--work", str(SELLING // 1000 // run.items), "--seed", str(run.seed)]  # fmt: skip
            if index == guarded:
                command += ["--guardian", str(pathlib.Path(program).with_name("turnstile-guardian"))]
            worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            worker.rest = b""
            os.set_blocking(worker.stdout.fileno(), False)
            self.selector.register(worker.stdout, selectors.EVENT_READ, worker)
            self.workers[index] = worker

    def count(self, *kinds):
        return sum(e.kind in kinds for e in self.run.events)

    def tell(self, index, command):
        os.write(self.workers[index].stdin.fileno(), command.encode() + b"\n")

    def add(self, kind, worker):
        self.run.events.append(Event(kind, worker, now()))
        return self.run.events[-1].at

    def record_until(self, done, awaited):
        deadline = now() + PATIENCE
        while not done():
            for key, _ in self.selector.select(0.05):
                self.read(key.data)
            if time.monotonic() - self.shown > 1:
                self.note("")
            if now() > deadline:
                raise Failure(f"waited {in_seconds(PATIENCE)} for {awaited}")

    def read(self, worker):
        data = worker.stdout.read()
        if not data:
            self.selector.unregister(worker.stdout)
            index = next(i for i, each in self.workers.items() if each is worker)
            if not any(e.worker == index and e.kind in (*KILLS, "sold_out") for e in self.run.events):
                raise Failure(f"worker {index} ended")
            return
        *lines, worker.rest = (worker.rest + data).split(b"\n")
        self.run.events += [Event.parse(line.decode()) for line in lines]

    def note(self, text):
        self.shown = time.monotonic()
        print(f"{self.count('sold'):>5}/{self.run.items} sold  {text}", flush=True)

    def start(self):
        self.record_until(lambda: self.count("ready") == self.run.workers, "the workers to connect")
        self.run.began = now()
        for index in self.workers:
            self.tell(index, "start")

    def sold(self, number, awaited):
        self.record_until(lambda: self.count("sold") >= number, awaited)

    def park(self, index):
        self.tell(index, "park")
        self.record_until(lambda: self.run.first("parked", index), f"worker {index} to hold the lock")

    def granted_since(self, at):
        self.record_until(lambda: self.run.first("granted", since=at + 1), "the next grant")

    def kill_a_holder(self, index, cause, note):
        self.park(index)
        at = self.add(cause, index)
        self.workers[index].kill()
        self.note(f"worker {index} killed while holding; {note}")
        self.granted_since(at)

    def kill_the_server(self, index, server):
        self.park(index)
        self.add("server_killed", index)
        self.note(f"the server killed while worker {index} holds; it is started again")
        server.tell("kill")
        server.tell("start")
        at = self.add("server_back", index)
        self.tell(index, "go")
        self.granted_since(at)

    def pause_a_holder(self, index):
        self.park(index)
        at = self.add("stopped", index)
        self.workers[index].send_signal(signal.SIGSTOP)
        self.note(f"worker {index} stopped while holding; its session times out")
        self.granted_since(at)
        # Waits until the other workers have certainly written with larger tokens, and then resumes the stopped worker.
        self.note(f"worker {index} still stopped; the others sell on")
        self.sold(self.count("sold") + max(3, self.run.items // 50), "sales during the pause")
        self.tell(index, "go")
        self.add("resumed", index)
        self.workers[index].send_signal(signal.SIGCONT)
        self.note(f"worker {index} woken past its lease")

    def finish(self):
        self.record_until(lambda: self.count("sold_out", *KILLS) == self.run.workers, "the stock to be sold out")
        self.run.ended = now()
        self.note("")
        for worker in self.workers.values():
            worker.stdin.close()
            worker.wait()
        sales = (line.split() for line in (self.folder / "sales").read_text().splitlines())
        self.run.sales = [(int(item), int(worker), token) for item, worker, token in sales]
        self.run.stock_left = int((self.folder / "stock").read_text().split()[1])
        self.run.events.sort(key=lambda e: e.at)


def sell_with_lock(program, run, folder, server):
    victims = random.Random(run.seed).sample(range(1, run.workers + 1), 3)
    second = run.kind().second_blow
    crew = Crew(program, run, folder, server.connect_string, victims[1] if second == "killed_guarded" else 0)
    crew.start()
    run.server_time = server.time + (run.began - server.boottime) / SECOND
    crew.sold(0.15 * run.items, "the first sales")
    crew.kill_a_holder(victims[0], "killed", run.kind().killed_note)
    crew.sold(0.28 * run.items, "sales after the kill")
    if second == "server_killed":
        crew.kill_the_server(victims[1], server)
    else:
        crew.kill_a_holder(victims[1], second, "its guardian closes its session" if second == "killed_guarded" else run.kind().killed_note)
    crew.sold(0.40 * run.items, "sales after the second blow")
    crew.pause_a_holder(victims[2])
    crew.finish()


def sell_without_lock(program, run, folder):
    crew = Crew(program, run, folder)
    crew.start()
    crew.finish()


def fate_of(worker, run):
    for cause in KILLS:
        over = run.hand_over(cause)
        if over and over[0].worker == worker:
            guarded = ", guarded" if cause == "killed_guarded" else ""
            return f"killed while holding{guarded}; handed over after {in_milliseconds(over[2])}"
    server, back = run.first("server_killed"), run.first("server_back")
    if server and back and server.worker == worker:
        return f"held while the server was away for {in_milliseconds(back.at - server.at)}"
    over, resumed = run.hand_over("stopped"), run.first("resumed")
    if not over or not resumed or over[0].worker != worker:
        return ""
    lost = "; lost" if run.after_pause("lost") else ""
    refused = ", write refused" if run.after_pause("refused") else ""
    return f"stopped {in_seconds(resumed.at - over[0].at)}; handed over after {in_milliseconds(over[2])}{lost}{refused}"


def worker_table(run):
    text = f"{'worker':<9}{'grants':>7}{'sales':>7}{'longest wait':>14}{'held':>12}\n"
    for worker in range(1, run.workers + 1):
        holds = [h for h in run.holds() if h.worker == worker]
        longest = max((h.begin - h.asked for h in holds), default=0)
        sales = sum(sale[1] == worker for sale in run.sales)
        text += (f"{worker:<9}{len(holds):>7}{sales:>7}{in_milliseconds(longest):>14}"
                 f"{in_milliseconds(sum(h.to - h.begin for h in holds)):>12}  {fate_of(worker, run)}".rstrip() + "\n")  # fmt: skip
    return text


def check_list(all_checks):
    widest = max(len(check.promise) for check in all_checks)
    return "".join(f"{'PASS' if c.passed else 'FAIL'}  {c.promise:<{widest}}  {c.numbers}\n" for c in all_checks)


def keep(folder, name, run):
    (folder / f"{name}-events.txt").write_text("".join(e.line() + "\n" for e in run.events))
    (folder / f"{name}-sales.txt").write_text("".join(f"{item} {worker} {token}\n" for item, worker, token in run.sales))
    (folder / f"{name}-stock.txt").write_text(f"{run.stock_left}\n")


def count_between(least, most):
    def parse(text):
        if not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text} is not a number from {least} to {most}")
        return int(text)

    return parse


def read_arguments():
    parser = argparse.ArgumentParser(prog="demo", description=__doc__)
    parser.add_argument("--servers", choices=KINDS, default="zookeeper", help="kind of the servers")
    parser.add_argument("--items", type=count_between(40, 5000), default=500, help="number of items to sell")
    parser.add_argument("--workers", type=count_between(4, 16), default=5, help="number of processes that sell the items")
    parser.add_argument("--seed", type=count_between(0, 2**31), default=1,
                        help="decides which processes are killed or paused, and how long a sale takes")  # fmt: skip
    parser.add_argument("--svg", type=pathlib.Path, help="file for the picture (default: beside the program)")
    parser.add_argument("--keep", type=pathlib.Path, help="new folder in which the demo keeps the sales and the events")
    parser.add_argument("--program", type=pathlib.Path, required=True, help="build/<preset>/demo/turnstile_demo")
    given = parser.parse_args()
    given.svg = given.svg or given.program.with_name("turnstile-demo.svg")
    return given


def direct(given):
    # Opens the files before anything starts, because an error a minute later would come too late.
    given.svg.open("a", encoding="utf-8").close()
    if given.keep:
        given.keep.mkdir(parents=True)
    began, program = time.monotonic(), str(given.program.resolve())
    settings = {name: getattr(given, name) for name in ("servers", "items", "workers", "seed")}
    with_lock, without_lock = Run(**settings), Run(**settings)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="turnstile-demo-"))
    try:
        for name in ("server", "with-lock", "without-lock"):
            (scratch / name).mkdir()
        print(f"{given.workers} processes sell {given.items} items under one lock; seed {given.seed}", flush=True)
        server = Server(program, with_lock, scratch / "server")
        print(f"{with_lock.kind().where}: {server.connect_string}, session timeout {in_seconds(with_lock.session_timeout)}")
        sell_with_lock(program, with_lock, scratch / "with-lock", server)
        server.close()
        print("without a lock")
        sell_without_lock(program, without_lock, scratch / "without-lock")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if given.keep:
        keep(given.keep, "with-lock", with_lock)
        keep(given.keep, "without-lock", without_lock)
    given.svg.write_text(picture.to_svg(with_lock, without_lock), encoding="utf-8")
    found = [*checks.checks_with_lock(with_lock), checks.oversells(without_lock)]
    passed = all(check.passed for check in found)
    width = max(60, min(160, shutil.get_terminal_size((100, 24)).columns))
    print(f"\n{picture.to_text(with_lock, width)}\n{worker_table(with_lock)}\n{check_list(found)}\npicture: {given.svg.resolve()}")
    print(f"{'all checks passed' if passed else 'a check FAILED'} in {time.monotonic() - began:.2f} s")
    return 0 if passed else 1


def main():
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return direct(read_arguments())
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    except (Failure, OSError) as failure:
        print(f"demo: {failure}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
