# SPDX-License-Identifier: Apache-2.0
"""A run of the benchmarks: its settings, servers and peers, and the order in which it measures the peers."""

import itertools
import os
import shutil
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from . import kinds, starting
from .peer import Peer, PeerError
from .processors import descendants, place
from .result import Result

LEAD_SECONDS = 0.3  # time from the command to the counted part of a window, so that all peers have begun before


@dataclass
class Settings:
    """Settings of a run. --quick changes them."""
    rounds: int  # rounds of the uncontended measures
    cycles: int  # acquires with their releases ("cycles") in each round
    warm_up: int  # cycles before the measurement
    window_rounds: int  # rounds of measures that count during a window of time
    window_seconds: float
    drain_rounds: int
    drain_sizes: tuple
    curator_waiters: int  # largest queue for Curator
    pending: int
    pending_on_one_path: int
    pending_seconds: int  # limit for the measure "pending"
    idle_seconds: float
    held: int = 10_000  # locks that one client holds
    clients: int = 1000  # clients of one process
    grown_locks: tuple = (10, 1000, 100_000)  # locks below one folder
    grown_sessions: int = 10_000  # further sessions at the servers
    disk_rounds: int = 0  # rounds of the comparison of servers whose writes wait for a disk
    disk_cycles: int = 0
    crash_rounds: int = 0
    session_ms: int = 0  # session timeout and lease of the holder that is killed


FULL = Settings(rounds=21, cycles=500, warm_up=3000, window_rounds=9, window_seconds=2, drain_rounds=7,
                drain_sizes=(10, 100, 1000, 3000, 10_000), curator_waiters=3000, pending=100_000,
                pending_on_one_path=100_000, pending_seconds=300, idle_seconds=30)
QUICK = Settings(rounds=5, cycles=100, warm_up=300, window_rounds=2, window_seconds=0.5, drain_rounds=1,
                 drain_sizes=(10, 300), curator_waiters=300, pending=2000, pending_on_one_path=500,
                 pending_seconds=20, idle_seconds=2, held=500, clients=20, grown_locks=(10, 1000), grown_sessions=100)
SERVERS = replace(FULL, rounds=15, cycles=300, warm_up=2000, window_rounds=5, window_seconds=1.5, drain_rounds=3,
                  drain_sizes=(1000,), disk_rounds=7, disk_cycles=40, crash_rounds=7, session_ms=4000)
SERVERS_QUICK = replace(SERVERS, rounds=3, cycles=100, warm_up=200, window_rounds=1, window_seconds=0.5, drain_rounds=1,
                        drain_sizes=(100,), disk_rounds=2, disk_cycles=20, crash_rounds=1)


class Bench:
    """Owns the servers and peers of a run. Use it as a context manager. `disk` is a second folder, on which each write
    is synced, for measures within `on_disk`.
    """

    def __init__(self, settings, peers, build, folder, servers, on_disk, progress, disk=None):
        self.settings = settings
        self.kinds = peers
        self.build = build
        self.versions = {}  # versions that peers and servers report
        self.not_started = {}  # peers that did not start -> reason
        self._progress = progress
        self._servers = servers
        self._on_disk = on_disk
        self._folder = _new_folder(folder)
        self._folders = {on_disk: self._folder}
        if disk is not None:
            self._folders[True] = _new_folder(disk)
        self._backends = {}
        self._commands = {}  # started peer -> its commands
        self._paths = itertools.count(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in self._backends.values():
            one.end()
        for folder in self._folders.values():
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def on_disk(self):
        """Peers that start inside this context use servers that sync their writes to a disk."""
        before, self._on_disk = self._on_disk, True
        try:
            yield
        finally:
            self._on_disk = before

    @property
    def labels(self):
        return {kind.name: kind.label for kind in self.kinds}

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

    @property
    def beside(self):
        """Returns for each peer in the comparison of servers the library's peer with which it is compared."""
        return {kind.name: kind.ours for kind in self.kinds}

    @property
    def guardian(self):
        return self.build.parent / "src" / "guardian" / "turnstile-guardian"

    def commands_of(self, name):
        return self._commands[name]

    def kind(self, name):
        return next(kind for kind in self.kinds if kind.name == name)

    def server_of(self, name):
        """Returns a peer's server; None for a peer without a server."""
        backend = self.kind(name).backend
        return self._backend(backend) if backend != "none" else None

    def start(self, name, index=0, words=(), under=()):
        """Starts a new process of a peer. `words` are further arguments of the peer's command. `under` is a command
        that runs the peer's command, for example taskset. If there are several servers, `index` selects the server, in
        the same way for all peers. Raises PeerError or BackendError.
        """
        kind = self.kind(name)
        server = self.server_of(name)
        servers = server.each() if server else [""]
        command = kind.command(self.build, servers[index % len(servers)])
        peer = Peer(name, [*under, *command, *words], self._folder / f"{name}.log")
        if server:
            self.versions[kind.label] = peer.version
        self._commands[name] = peer.commands
        return peer

    @contextmanager
    def apart(self, names):
        """Inside this context, the servers of these peers run on a separate processor. Yields the command that runs
        peers on the other processors; empty on a machine with one processor.
        """
        for name in names:
            self.server_of(name)
        all_processors = os.sched_getaffinity(0)
        last = max(all_processors)
        servers = descendants(os.getpid())
        others = all_processors - {last}
        if not others:
            yield ()
            return
        place(servers, {last})
        try:
            yield ("taskset", "-c", ",".join(str(one) for one in sorted(others)))
        finally:
            place(descendants(os.getpid()), all_processors)

    @contextmanager
    def crew(self, names, count=1, under=()):
        """Starts `count` processes of each peer under the command `under`. Yields {name: [Peer]}. Ends the processes
        afterwards.
        """
        started = {}
        try:
            for name in names:
                started[name] = []
                for index in range(count):
                    started[name].append(self.start(name, index, under=under))
            yield started
        finally:
            for peer in itertools.chain(*started.values()):
                peer.end()

    def names_that_can(self, command):
        """Starts the peers that have not started yet. A peer that does not start takes part in no measure."""
        for kind in self.kinds:
            if kind.only or kind.name in self._commands:
                continue
            try:
                self.start(kind.name).end()
            except PeerError as failure:
                self.say(f"  {kind.name} does not start: {failure}")
                self.not_started[kind.label] = str(failure)
                self._commands[kind.name] = []
        return [kind.name for kind in self.kinds if not kind.only and command in self._commands[kind.name]]

    def in_turns(self, rounds, names, sample):
        """Runs `rounds` rounds over all names. Each round begins with another name. `sample(name)` measures and
        records. After a peer has failed once, it is left out.
        """
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

    def warm_up_and_sample(self, result, case, names, rounds, warm_up, sample, warm_up_rounds=1):
        """Runs `warm_up` over all names in turns, and then `sample` over the peers that have not failed. Notes the failure
        of a peer in the case of the result.
        """
        for name, failure in self.in_turns(warm_up_rounds, names, warm_up):
            result.fail(case, name, failure)
        alive = [name for name in names if not result.failed(case, name)]
        for name, failure in self.in_turns(rounds, alive, sample):
            result.fail(case, name, failure)

    def window(self, peers, *command):
        """Lets all peers run the command at the same time. The command ends with BEGIN and END. Returns the peers'
        answers.
        """
        return self.window_of_each(peers, [command] * len(peers))

    def window_of_each(self, peers, commands):
        """Like window(), but with a separate command for each peer."""
        begin = int((time.time() + LEAD_SECONDS) * 1e6)
        end = begin + int(self.settings.window_seconds * 1e6)
        for peer, command in zip(peers, commands):
            peer.send(*command, begin, end)
        return [peer.receive() for peer in peers]

    def idle_minute(self, peer):
        """Waits while the peer is idle. Returns, for a minute, the packets that the ZooKeeper servers received and the
        seconds of processor time that the peer used.
        """
        used = peer.processor_seconds()
        received, _ = self.zookeeper.connections()
        time.sleep(self.settings.idle_seconds)
        after, _ = self.zookeeper.connections()
        a_minute = 60 / self.settings.idle_seconds
        return (after - received) * a_minute, (peer.processor_seconds() - used) * a_minute

    def _backend(self, name):
        key = name, self._on_disk
        if key not in self._backends:
            self._backends[key] = starting.start(name, self._folders[self._on_disk], self.build, self._servers,
                                                 self._on_disk)
            if self._backends[key].version:
                self.versions[f"{name} server"] = self._backends[key].version
        return self._backends[key]


def _new_folder(parent):
    folder = Path(tempfile.mkdtemp(prefix="turnstile-bench-", dir=parent))
    folder.chmod(0o711)  # PostgreSQL runs as another user, who needs this
    return folder
