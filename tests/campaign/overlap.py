#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks from outside whether two commands of `turnstile run` ever run at the same time.

    overlap.py PROGRAM [--minutes N] [--runners N] [--seed S]

Starts a private server, and runners on one path with one link each. A nemesis stops, kills or cuts off the runner whose
command runs, or a waiting runner. The kernel is the judge: each command tries to lock a file without waiting, and the
kernel unlocks the file when the last process of the command has ended. A command that finds the file locked has
overlapped: it says so, and the script exits with 1.
"""
import argparse
import collections
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

K_OVERLAP = 99
K_SESSION = "4s"


class link:
    """A link to the server that can be cut and delayed."""

    def __init__(self, server):
        self.server = server
        self.flowing = threading.Event()
        self.flowing.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.pairs = set()
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def address(self):
        return f"127.0.0.1:{self.listener.getsockname()[1]}"

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            try:
                far = socket.create_connection(self.server)
            except OSError:
                near.close()
                continue
            self.pairs.add((near, far))
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.hand_on, args=(source, sink, (near, far)), daemon=True).start()

    def hand_on(self, source, sink, pair):
        try:
            while data := source.recv(65_536):
                self.flowing.wait()
                sink.sendall(data)
        except OSError:
            pass
        for end in pair:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.pairs.discard(pair)

    def cut(self):
        for pair in list(self.pairs):
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


class runner(threading.Thread):
    """A process that executes `turnstile run` again and again."""

    def __init__(self, number, stage):
        super().__init__(daemon=True)
        self.number = number
        self.stage = stage
        self.link = link(stage.server)
        self.process = None
        self.codes = collections.Counter()

    def command(self):
        # The command ignores SIGTERM, starts child processes, and rarely ends by itself.
        stays = self.stage.chance.choice(["0.05", "0.5", "3", "1000"])
        says = self.stage.folder + "/in"
        inside = (f"exec 9>>{self.stage.folder}/judge; flock -n 9 || exit {K_OVERLAP}; trap '' TERM; "
                  f"echo {self.number} >{says}; (trap '' TERM; sleep {stays}) & sleep {stays}; wait")
        return [self.stage.program, "run", "--quiet", "--session-timeout", K_SESSION, "--grace", "300ms", "--tick", "200ms",
                "--sync-limit", "10", "--wait", "60s", "/overlap", "--", "sh", "-c", inside]

    def run(self):
        while not self.stage.over.is_set():
            environment = {**os.environ, "TURNSTILE_SERVERS": self.link.address}
            self.process = subprocess.Popen(self.command(), env=environment, stdin=subprocess.DEVNULL, stdout=self.stage.log, stderr=self.stage.log)
            code = self.process.wait()
            self.codes[code] += 1
            if code == K_OVERLAP:
                self.stage.overlaps.append(self.number)

    def keeper(self):
        try:
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as children:
                return int(children.read().split()[0])
        except (OSError, IndexError):
            return None


class stage:
    def __init__(self, options, server, folder):
        self.program = options.program
        self.server = server
        self.folder = folder
        self.chance = random.Random(options.seed)
        self.over = threading.Event()
        self.overlaps = []
        self.deeds = collections.Counter()
        self.log = open(f"{folder}/log", "w", encoding="utf-8")
        self.runners = [runner(i, self) for i in range(options.runners)]

    def victim(self):
        """Returns a runner to attack: mostly the runner whose command runs."""
        try:
            with open(f"{self.folder}/in", encoding="ascii") as last:
                holder = self.runners[int(last.read())]
        except (OSError, ValueError):
            holder = self.chance.choice(self.runners)
        return holder if self.chance.random() < 0.75 else self.chance.choice(self.runners)

    def disturb(self):
        one = self.victim()
        deed = self.chance.choice([self.stop, self.kill, self.kill_keeper, self.cut, self.hold_back, self.stop_and_cut])
        self.deeds[deed.__name__.replace("_", " ")] += 1
        try:
            deed(one)
        except ProcessLookupError:
            pass  # the process has just ended

    def stop(self, one):
        process = one.process.pid
        os.kill(process, signal.SIGSTOP)
        self.over.wait(self.chance.uniform(0.1, 7))
        os.kill(process, signal.SIGCONT)

    def kill(self, one):
        os.kill(one.process.pid, signal.SIGKILL)

    def kill_keeper(self, one):
        keeper = one.keeper()
        if keeper:
            os.kill(keeper, signal.SIGKILL)

    def cut(self, one):
        one.link.cut()

    def hold_back(self, one):
        one.link.flowing.clear()
        self.over.wait(self.chance.uniform(0.1, 7))
        one.link.flowing.set()

    def stop_and_cut(self, one):
        one.link.flowing.clear()
        self.stop(one)
        one.link.flowing.set()

    def play(self, seconds):
        for each in self.runners:
            each.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.overlaps:
            self.over.wait(self.chance.uniform(0, 1.5))
            self.disturb()
        self.over.set()
        for each in self.runners:
            each.process.terminate()
        for each in self.runners:
            each.join(1)
            each.process.kill()

    def report(self, seconds, seed):
        codes = sum((each.codes for each in self.runners), collections.Counter())
        print(f"{seconds:.0f} s, seed {seed}, {len(self.runners)} runners of one path, session timeout {K_SESSION}")
        print("done to them: " + ", ".join(f"{name} {count}" for name, count in sorted(self.deeds.items())))
        print("exit codes: " + ", ".join(f"{code}: {count}" for code, count in sorted(codes.items())))
        print(f"commands that ran beside another one: {len(self.overlaps)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--runners", type=int, default=4)
    parser.add_argument("--seed", type=int, default=random.randrange(2**31))
    options = parser.parse_args()
    servers = subprocess.Popen([options.program, "dev"], stdout=subprocess.PIPE, text=True)
    try:
        line = next(line for line in servers.stdout if "TURNSTILE_SERVERS=" in line)
        host, port = re.search(r"=([\d.]+):(\d+)", line).groups()
        with tempfile.TemporaryDirectory(prefix="turnstile-overlap-") as folder:
            played = stage(options, (host, int(port)), folder)
            played.play(options.minutes * 60)
            played.report(options.minutes * 60, options.seed)
    finally:
        servers.terminate()
        servers.wait()
    sys.exit(1 if played.overlaps else 0)


if __name__ == "__main__":
    main()
