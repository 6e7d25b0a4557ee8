# SPDX-License-Identifier: Apache-2.0
"""Runs examples/scraped.cpp and reads the page with its metrics."""
import contextlib
import subprocess
import time
import urllib.request

LIMIT = 60  # seconds until a page must show what a test expects
PAUSE = 0.05  # seconds between two reads


class running:
    def __init__(self, process):
        self.process = process
        self.port = int(process.stdout.readline())

    def read(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=LIMIT) as answer:
            return answer.read().decode()


@contextlib.contextmanager
def service(program, servers, path, hold_ms):
    command = [program, servers, path, str(hold_ms)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield running(process)
    finally:
        process.kill()
        process.wait()


def eventually(question):
    """Calls the function until it returns a true value. Returns that value."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        answer = question()
        if answer:
            return answer
        time.sleep(PAUSE)
    raise SystemExit(f"not within {LIMIT} s: {question.__doc__ or question}")


def wait_for(served, line):
    def shown():
        text = served.read()
        return text if line in text else None

    shown.__doc__ = line
    return eventually(shown)
