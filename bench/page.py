#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures `turnstile serve` with many locks: times, memory and requests, as the rows of a table.

    page.py PROGRAM [LOCKS [CONTENDERS_OF_EACH]]

Starts a private server (`turnstile dev`), creates locks by sessions that own a few thousand contenders each, and
requests the pages of `turnstile serve` as browsers do. Prints the rows of the table in docs/how-to/admin-page.md;
scripts/page puts them there.
"""
import json
import logging
import os
import re
import signal
import statistics
import subprocess
import sys
import time
import urllib.request

from kazoo.client import KazooClient

K_OF_A_SESSION = 5_000  # contenders of one session: the servers cannot safely end a session with more
K_AT_ONCE = 100
K_WATCHED_S = 30
K_CHANGES = 20
K_PATIENCE_S = 300


class locks:
    """Many locks, each with a queue of contenders."""

    def __init__(self, servers, number, queue):
        self.names = [f"/many/item-{i:05}" for i in range(number)]
        self.sessions = []
        each = max(K_OF_A_SESSION // queue, 1)
        for first in range(0, number, each):
            session = KazooClient(hosts=servers, timeout=60)
            session.start(timeout=60)
            session.ensure_path("/many")
            self.sessions.append(session)
            self.make(session, self.names[first:first + each], queue)

    @staticmethod
    def make(session, names, queue):
        for first in range(0, len(names), K_AT_ONCE // queue or 1):
            part = names[first:first + (K_AT_ONCE // queue or 1)]
            transaction = session.transaction()
            for name in part:
                transaction.create(name)
                for i in range(queue):
                    contender = f"{name}/_c_00000000-0000-4000-8000-{i:012x}-lock-"
                    says = f"host=web-{i % 40} pid={1000 + i} label=reserve".encode()
                    transaction.create(contender, says, ephemeral=True, sequence=True)
            if any(isinstance(result, Exception) for result in transaction.commit()):
                raise SystemExit("a transaction failed")

    def release(self, name):
        """Removes the first contender of a lock, as a release does."""
        session = self.sessions[0]
        session.delete(f"{name}/{sorted(session.get_children(name))[0]}")


class page:
    """Runs `turnstile serve` in a process."""

    def __init__(self, program, servers):
        self.start = time.monotonic()
        self.process = subprocess.Popen([program, "serve", "--servers", servers, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def ask(self, path):
        with urllib.request.urlopen(self.url.rstrip("/") + path, timeout=60) as answer:
            return answer.read().decode()

    def json(self, path):
        try:
            return json.loads(self.ask(path))
        except urllib.error.HTTPError:
            return {}

    def metric(self, name):
        return int(re.search(rf"^turnstile_{name} (-?\d+)", self.ask("/metrics"), re.M).group(1))

    def until(self, holds):
        """Waits until holds() is true. Returns the seconds since the start of `turnstile serve`."""
        end = time.monotonic() + K_PATIENCE_S
        while not holds():
            if time.monotonic() > end:
                raise SystemExit("the page did not come that far")
            time.sleep(0.05)
        return time.monotonic() - self.start

    def memory(self, word):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(rf"^{word}:\s+(\d+) kB", status.read(), re.M).group(1)) // 1024


def row(text, value):
    print(f"| {text} | {value} |", flush=True)


def took(work):
    start = time.monotonic()
    work()
    return time.monotonic() - start


def measure(program, servers, number, queue):
    made = locks(servers, number, queue)
    shown = page(program, servers)
    try:
        row("time until the page has the names and numbers of all locks", f"{shown.until(lambda: shown.json('/api/v1/locks').get('total') == number):.1f} s")
        row("time until the page has the holders of the first 500 locks", f"{shown.until(lambda: all(each['holders'] for each in shown.json('/api/v1/locks?limit=500&sort=path')['locks'])):.1f} s")
        row("time until the page has read all contenders", f"{shown.until(lambda: shown.metric('contenders_unread') == 0):.1f} s")
        row("memory of `serve` when it has read all contenders; the largest memory until then", f"{shown.memory('VmRSS')} MiB; {shown.memory('VmHWM')} MiB")
        before = shown.metric("server_requests_total")
        oldest = []
        answers = []
        end = time.monotonic() + K_WATCHED_S
        while time.monotonic() < end:
            answers.append(took(lambda: shown.json("/api/v1/locks?limit=500")))
            oldest.append(shown.json("/api/v1/overview")["meta"]["oldest_ms"] / 1000)
            time.sleep(0.5)
        sent = (shown.metric("server_requests_total") - before) / K_WATCHED_S
        row("requests to the server while a person looks", f"{sent:,.0f} a second")
        row("time within which the page reads each lock again; time until it shows a change", f"{max(oldest):.1f} s; {changes(shown, made)}")
        row("time to answer a request for 500 locks; for a search by holder; for the graph", f"{1000 * statistics.median(answers):.0f} ms; {1000 * took(lambda: shown.ask('/api/v1/locks?holder=web-7')):.0f} ms; {1000 * took(lambda: shown.ask('/api/v1/graph')):.0f} ms")
        row("time from SIGTERM to the end of `serve`", f"{ending(shown):.1f} s")
        row("the largest memory of `serve` until its end", f"{shown.most_memory} MiB")
    finally:
        shown.process.kill()


def changes(shown, made):
    """Measures how long the page takes to detect a release of a lock that no browser shows."""
    times = []
    for i in range(K_CHANGES):
        name = made.names[(i * 487) % len(made.names[:500])]
        before = shown.json(f"/api/v1/locks?prefix={name}")["locks"][0]["contenders"]
        made.release(name)
        start = time.monotonic()
        while shown.json(f"/api/v1/locks?prefix={name}")["locks"][0]["contenders"] == before:
            time.sleep(0.05)
        times.append(time.monotonic() - start)
    return f"{statistics.median(times):.1f} s (median), {max(times):.1f} s (the latest of {K_CHANGES})"


def ending(shown):
    shown.most_memory = shown.memory("VmHWM")
    start = time.monotonic()
    shown.process.send_signal(signal.SIGTERM)
    shown.process.wait()
    return time.monotonic() - start


def main():
    logging.disable()  # silences sessions whose server has ended
    program = sys.argv[1]
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    queue = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    servers = subprocess.Popen([program, "dev"], stdout=subprocess.PIPE, text=True)
    try:
        address = next(line for line in servers.stdout if "TURNSTILE_SERVERS=" in line).split("=", 1)[1].strip()
        measure(program, address, number, queue)
    finally:
        servers.terminate()
        servers.wait()
    os._exit(0)  # does not wait for sessions whose server has ended


if __name__ == "__main__":
    main()
