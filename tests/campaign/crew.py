# SPDX-License-Identifier: Apache-2.0
"""The processes of a campaign, and the file in which the director records its actions."""

import os
import select
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def boottime():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def poll(condition, seconds):
    """Returns as soon as `condition` holds, and after `seconds` in any case.

    Checks the condition ten times a second. There is no event to wait for: the conditions concern files that other
    processes write, and answers of a server.
    """
    limit = time.monotonic() + seconds
    while not condition() and time.monotonic() < limit:
        time.sleep(0.1)


def pause(workers, seconds):
    """Waits `seconds`. Returns earlier if one of the running processes ends."""
    ends = [os.pidfd_open(worker.process.pid) for worker in workers if worker.running()]
    try:
        select.select(ends, [], [], max(0.0, seconds))
    finally:
        for end in ends:
            os.close(end)


class Notes:
    """Writes the director's actions in the form of the workers' notes: "<ns> <kind> <key>=<value>..."."""

    def __init__(self, path):
        self.file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)

    def write(self, kind, **values):
        words = [str(boottime()), kind] + [f"{k}={v}" for k, v in values.items()]
        os.write(self.file, (" ".join(words) + "\n").encode())


class Stage:
    """The servers and the workers' links to them, in a separate process that executes the director's orders."""

    def __init__(self, settings, folder, servers):
        command = [settings.stage, servers, folder, str(settings.links), str(settings.tick),
                   str(settings.sync_limit), str(settings.small_disk)]
        if settings.shim:
            command.append(settings.shim)
        self.errors = open(os.path.join(folder, "stage.log"), "ab")
        # On a busy machine a killed server may need half a minute to start again. A campaign does not judge that time.
        patient = {"TURNSTILE_TEST_TIME_SCALE": "6", **os.environ}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True, bufsize=1, env=patient)
        words = self.process.stdout.readline().split()
        if len(words) != 4 or words[0] != "ready":
            raise RuntimeError(f"the stage did not start: see {folder}/stage.log")
        self.servers = words[1].split(",")
        self.folders = words[2].split(",")
        self.links = [one for one in words[3].split(";")]

    def order(self, line, patience=240):
        answer = self.ask(line, patience)
        if answer != "ok":
            raise RuntimeError(f"the stage says '{answer}' to '{line}'")

    def ask(self, line, patience=240):
        self.process.stdin.write(line + "\n")
        if not select.select([self.process.stdout], [], [], patience)[0]:
            raise RuntimeError(f"the stage does not answer to '{line}'")
        return self.process.stdout.readline().strip()

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)


class NoStage:
    """The stage of a campaign without servers: a file that the workers share."""

    def __init__(self, folders, links):
        self.servers, self.folders, self.links = [], folders, [""] * links

    def order(self, line):
        pass

    def close(self):
        pass


def guardians(program):
    """Returns the process numbers of this campaign's guardians, which close the sessions of dead workers at once.
    `program` is a copy of the guardian that only this campaign runs.
    """
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                if file.read().split(b"\0")[0] == os.fsencode(program):
                    found.append(int(name))
        except OSError:
            pass  # the process has ended
    return found


class Worker:
    """A worker's process, and the processes that replace it after it was killed.

    `where`: the worker's connect string.
    """

    def __init__(self, number, roles, settings, folder, where):
        self.number, self.roles, self.settings = number, roles, settings
        self.folder, self.where = folder, where
        self.life = 0
        self.process = None
        self.stopped = False

    @property
    def name(self):
        return f"worker-{self.number}"

    @property
    def guarded(self):
        """Returns true if the worker has a guardian. After a kill, the sessions of a worker without a guardian end by
        their timeout.
        """
        return bool(self.settings.guardian) and self.number % 3 != 0

    def start(self):
        self.life += 1
        file = os.path.join(self.folder, f"{self.name}.{self.life}.notes")
        seed = self.settings.seed * 10_000 + self.number * 100 + self.life
        command = [self.settings.worker, file, self.name, str(seed), str(self.settings.session),
                   str(self.settings.slow), str(self.settings.tick), str(self.settings.sync_limit), self.where,
                   *self.roles]
        environment = dict(os.environ)
        if self.guarded:
            environment["TURNSTILE_CAMPAIGN_GUARDIAN"] = self.settings.guardian
        with open(os.path.join(self.folder, f"{self.name}.log"), "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env=environment)

    def running(self):
        return self.process.poll() is None

    def stop(self, notes):
        if self.running():
            notes.write("stop", worker=self.name, life=self.life)
            os.kill(self.process.pid, signal.SIGSTOP)
            self.stopped = True

    def go_on(self, notes):
        if self.stopped and self.running():
            os.kill(self.process.pid, signal.SIGCONT)
            notes.write("cont", worker=self.name, life=self.life)
        self.stopped = False

    def kill(self, notes):
        freed = self.guarded or self.settings.freed_at_once
        notes.write("kill", worker=self.name, life=self.life, guarded=int(freed))
        self.process.kill()
        self.process.wait()

    def end(self):
        if self.running():
            self.process.terminate()


class Flock:
    """Controls flock.py, which keeps idle sessions in a separate process."""

    def __init__(self, settings, servers, folder):
        log = open(os.path.join(folder, "flock.log"), "ab")
        command = [sys.executable, os.path.join(HERE, "flock.py"), str(settings.idle),
                   str(settings.session), *servers]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=log, text=True,
                                        bufsize=1)

    def mark(self, spread, silence):
        self.process.stdin.write(f"mark {spread} {silence}\n")

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)
