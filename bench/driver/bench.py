# SPDX-License-Identifier: Apache-2.0
"""A run: its settings, servers and peers, and the turns in which peers are measured."""

import itertools
import shutil
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import backends, kinds
from .peer import Peer, PeerError
from .result import Result

LEAD_SECONDS = 0.3  # from the command to the counted part of a window, so that all have begun


@dataclass
class Settings:
    """What --quick changes."""
    rounds: int  # of uncontended measures
    cycles: int  # a round
    warm_up: int  # cycles
    window_rounds: int  # of measures that count for some time
    window_seconds: float
    drain_rounds: int
    drain_sizes: tuple
    curator_waiters: int  # the largest queue that Curator drains
    pending: int
    pending_on_one_path: int
    pending_seconds: int  # limit
    idle_seconds: float


FULL = Settings(rounds=21, cycles=500, warm_up=3000, window_rounds=9, window_seconds=2, drain_rounds=7,
                drain_sizes=(10, 100, 1000, 3000, 10_000), curator_waiters=3000, pending=100_000,
                pending_on_one_path=100_000, pending_seconds=300, idle_seconds=30)
QUICK = Settings(rounds=5, cycles=100, warm_up=300, window_rounds=2, window_seconds=0.5, drain_rounds=1,
                 drain_sizes=(10, 300), curator_waiters=300, pending=2000, pending_on_one_path=500,
                 pending_seconds=20, idle_seconds=2)


class Bench:
    """Owns the servers and peers of a run; use as a context manager."""

    def __init__(self, settings, peers, build, folder, servers, on_disk, progress):
        self.settings = settings
        self.kinds = peers
        self.build = build
        self.versions = {}  # of peers and servers, as they say
        self._progress = progress
        self._servers = servers
        self._on_disk = on_disk
        self._folder = Path(tempfile.mkdtemp(prefix="turnstile-bench-", dir=folder))
        self._backends = {}
        self._commands = {}  # of each peer that was started
        self._paths = itertools.count(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in self._backends.values():
            one.end()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def labels(self):
        return {kind.name: kind.label for kind in kinds.ALL}

    @property
    def zookeeper(self):
        return self._backend("zookeeper")

    def has(self, name):
        return any(kind.name == name for kind in self.kinds)

    def say(self, text):
        self._progress(text)

    def new_path(self):
        return f"/bench-{next(self._paths)}"

    def new_result(self, name, title, unit, better, **more):
        self.say(title)
        return Result(name, title, unit, better, **more)

    def start(self, name, index=0):
        """A new process of a peer. Of several servers each index has its own, the same for all peers.
        PeerError, BackendError."""
        kind = kinds.by_name(name)
        servers = self._backend(kind.backend).each() if kind.backend != "none" else [""]
        address = servers[index % len(servers)]
        peer = Peer(name, kind.command(self.build, address), self._folder / f"{name}.log")
        if kind.backend != "none":
            self.versions[kind.label] = peer.version
        self._commands[name] = peer.commands
        return peer

    @contextmanager
    def crew(self, names, count=1):
        """`count` processes of each peer: {name: [Peer]}; ended afterwards."""
        started = {}
        try:
            for name in names:
                started[name] = []
                for index in range(count):
                    started[name].append(self.start(name, index))
            yield started
        finally:
            for peer in itertools.chain(*started.values()):
                peer.end()

    def names_that_can(self, command):
        """Starts those that were not yet."""
        for kind in self.kinds:
            if kind.name not in self._commands:
                self.start(kind.name).end()
        return [kind.name for kind in self.kinds if command in self._commands[kind.name]]

    def in_turns(self, rounds, names, sample):
        """Every round goes through all names, beginning with another one each time. What fails once is
        not asked again. `sample(name)` records; `rounds` of them."""
        gone = set()
        for i in range(rounds):
            first = i % len(names) if names else 0
            for name in names[first:] + names[:first]:
                if name in gone:
                    continue
                try:
                    sample(name)
                except PeerError as failure:
                    gone.add(name)
                    yield name, str(failure)

    def window(self, peers, *command):
        """All peers run the command, which ends with BEGIN and END, together: their answers."""
        begin = int((time.time() + LEAD_SECONDS) * 1e6)
        end = begin + int(self.settings.window_seconds * 1e6)
        for peer in peers:
            peer.send(*command, begin, end)
        return [peer.receive() for peer in peers]

    def _backend(self, name):
        if name not in self._backends:
            self._backends[name] = backends.start(name, self._folder, self.build, self._servers,
                                                  self._on_disk)
            self.versions[f"{name} server"] = self._backends[name].version
        return self._backends[name]
