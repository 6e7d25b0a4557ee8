# SPDX-License-Identifier: Apache-2.0
"""Measures a free lock beside many others: beside the folders of other locks, and beside many other sessions."""

import socket
import statistics
import struct

from driver.kinds import BARE_ASYNC, BARE_NO_LIST, OURS
from driver.peer import PeerError

NAMES = (OURS, BARE_NO_LIST)
SESSION_MS = 60_000  # longer than the cycles take


def measure(bench):
    sessions = bench.settings.grown_sessions
    times = bench.new_result(
        "growth", "A free lock beside many others", "µs a cycle", "lower", reference=OURS,
        about="One session of one thread takes and releases a free lock. Its parent znode also contains the other "
              f"locks. In the last column the servers also keep {sessions:,} sessions of other clients.")
    names = [name for name in NAMES if bench.has(name)]
    with bench.crew([*names, BARE_ASYNC]) as crew:
        for locks in bench.settings.grown_locks:
            folder = bench.new_path()
            crew[BARE_ASYNC][0].ask("make", folder, locks, seconds=bench.settings.pending_seconds)
            _cycles(bench, crew, names, folder, f"{locks:,} locks", times)
        try:
            for _ in range(sessions):
                _open_session(bench.zookeeper.each()[0])
        except OSError as failure:
            raise PeerError(f"a session was not opened: {failure}") from failure
        _cycles(bench, crew, names, folder, f"and {sessions:,} sessions", times)
    return [times]


def _cycles(bench, crew, names, folder, case, times):
    settings = bench.settings
    paths = {name: f"{folder}/{i}" for i, name in enumerate(names)}

    def sample(name):
        times.add(case, name, statistics.median(crew[name][0].ask("cycle", paths[name], settings.cycles)["us"]))

    bench.warm_up_and_sample(times, case, names, settings.window_rounds,
                             lambda name: crew[name][0].ask("cycle", paths[name], settings.warm_up), sample)


def _open_session(address):
    """Opens a session by ZooKeeper's ConnectRequest. The session stays until the servers expire it."""
    host, _, port = address.rpartition(":")
    request = struct.pack(">iqiqi16sb", 0, 0, SESSION_MS, 0, 16, bytes(16), 0)
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(struct.pack(">i", len(request)) + request)
        if not connection.recv(64):
            raise OSError("the server closed the connection")
