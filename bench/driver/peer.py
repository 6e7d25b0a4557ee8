# SPDX-License-Identifier: Apache-2.0
"""A peer: a small program around one client library that answers commands (peers/protocol.hpp)."""

import os
import queue
import subprocess
import threading
import time


class PeerError(Exception):
    """Error: a peer refused a command, did not answer in time, or died."""


WORDS = ("version", "commands")  # names whose values are always text


def parse_value(text):
    """Parses a number, or a list of numbers."""
    numbers = [float(one) for one in text.split(",")]
    return numbers if "," in text else numbers[0]


def parse_answer(line):
    """Parses the names and values of "ok NAME=VALUE...". Raises PeerError for any other text."""
    word, _, rest = line.partition(" ")
    if word == "error":
        raise PeerError(rest)
    if word != "ok":
        raise PeerError(f"answered {line!r}")
    pairs = (one.partition("=") for one in rest.split())
    try:
        return {name: value if name in WORDS else parse_value(value) for name, _, value in pairs}
    except ValueError:
        raise PeerError(f"answered {line[:200]!r}") from None


class Peer:
    """A running peer. Only one thread at a time may use it."""

    GREETING_SECONDS = 60
    ANSWER_SECONDS = 120
    END_SECONDS = 10
    MEMORY_SHARE = 0.25  # part of the machine's memory that a peer may use; a peer that needs more dies
    STACK_BYTES = 1 << 20  # of each thread; whole stacks count as used memory, and 1,000 clients have 2,000 threads

    def __init__(self, name, command, log):
        self.name = name
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        command = ["prlimit", f"--data={int(memory * self.MEMORY_SHARE)}", f"--stack={self.STACK_BYTES}:", *command]
        self._log = log
        with open(log, "ab") as errors:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self.greeting = self.receive(self.GREETING_SECONDS)
        except PeerError:
            self.end()
            raise

    @property
    def pid(self):
        return self._process.pid

    @property
    def version(self):
        return self.greeting["version"]

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def processor_seconds(self):
        """Returns the processor time of all the peer's threads, also of threads that have ended, from the scheduler's
        count.
        """
        return time.clock_gettime(~self.pid << 3 | 2)  # the clock that clock_getcpuclockid(3) names

    @property
    def log(self):
        """Returns the file with the standard error of this process and of earlier processes with its name."""
        return self._log

    @property
    def commands(self):
        return self.greeting["commands"].split(",")

    def ask(self, *words, seconds=ANSWER_SECONDS):
        """Sends a command, and returns the answer as a dict."""
        self.send(*words)
        return self.receive(seconds)

    def send(self, *words):
        try:
            self._process.stdin.write(" ".join(str(word) for word in words) + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as failure:  # ValueError: the peer has ended already
            raise PeerError(f"died: {self._last_words()}") from failure

    def receive(self, seconds=ANSWER_SECONDS):
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            self.end(kill=True)
            raise PeerError(f"no answer within {seconds} s") from None
        if line is None:
            raise PeerError(f"died: {self._last_words()}")
        return parse_answer(line)

    def end(self, kill=False):
        """Ends the process by closing its input. With `kill`, kills the process first."""
        if kill:
            self._process.kill()
        try:
            self._process.stdin.close()
        except OSError:
            pass
        try:
            self._process.wait(self.END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def _last_words(self):
        with open(self._log, errors="replace") as log:
            lines = [line.strip() for line in log if line.strip()]
        return lines[-1] if lines else "it said nothing"
