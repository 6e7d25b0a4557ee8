# SPDX-License-Identifier: Apache-2.0
"""A client with kazoo's locks that contends with Turnstile's.

    kazoo_contender.py lock|write CONNECT PATH GRANTS FOLDER
    kazoo_contender.py hold-lock|hold-read|hold-write CONNECT PATH SIGNAL
    kazoo_contender.py lead CONNECT PATH SIGNAL
    kazoo_contender.py contenders CONNECT PATH

lock and write take the lock so many times, and enter the critical section of FOLDER as a writer (see
critical_section.hpp). hold-... takes the lock once, prints "granted" and holds until a program writes into the
named pipe SIGNAL; lead does the same in kazoo's Election. contenders prints "contender DATA" for each. All print
"READY" once they are connected.

Exit status: 0 done, 1 any failure, 2 usage, 3 two clients were inside that exclude each other.
"""

import pathlib
import sys

from kazoo.client import KazooClient
from kazoo.recipe.election import Election
from kazoo.recipe.lock import Lock, ReadLock, WriteLock

VIOLATION = 3
IDENTIFIER = "kazoo"


# kazoo's locks with the names of contenders that Curator uses (docs/why/mutex.md and docs/why/shared-mutex.md).
class SharedNamesLock(Lock):
    _NODE_NAME = "-lock-"
    _EXCLUDE_NAMES = ["-lock-"]


class SharedNamesReadLock(ReadLock):
    _NODE_NAME = "-__READ__"
    _EXCLUDE_NAMES = ["-__WRIT__"]


class SharedNamesWriteLock(WriteLock):
    _NODE_NAME = "-__WRIT__"
    _EXCLUDE_NAMES = ["-__READ__", "-__WRIT__"]


KINDS = {
    "lock": SharedNamesLock,
    "read": SharedNamesReadLock,
    "write": SharedNamesWriteLock,
}


class CriticalSection:
    def __init__(self, folder):
        self._folder = pathlib.Path(folder)
        self._writer = self._folder / "writer"
        self._counter = self._folder / "counter"

    def write(self):
        try:
            self._writer.touch(exist_ok=False)
        except FileExistsError:
            violation("a writer meets another writer")
        for reader in self._folder.glob("reader-*"):
            violation(f"a writer meets {reader.name}")
        count = int(self._counter.read_text() or 0) if self._counter.exists() else 0
        self._counter.write_text(str(count + 1))
        self._writer.unlink()


def violation(what):
    print("violation:", what, flush=True)
    raise SystemExit(VIOLATION)


def hold_until(signal):
    print("granted", flush=True)
    with open(signal, "rb", buffering=0) as pipe:
        if not pipe.read(1):
            raise EOFError(f"{signal} was closed")


def contend(lock, grants, folder):
    section = CriticalSection(folder)
    for _ in range(grants):
        with lock:
            section.write()


def run(client, what, path, arguments):
    if what in ("lock", "write") and len(arguments) == 2:
        contend(KINDS[what](client, path, IDENTIFIER), int(arguments[0]), arguments[1])
    elif what.startswith("hold-") and what[5:] in KINDS and len(arguments) == 1:
        with KINDS[what[5:]](client, path, IDENTIFIER):
            hold_until(arguments[0])
    elif what == "lead" and len(arguments) == 1:
        election = Election(client, path)
        election.lock = SharedNamesLock(client, path, IDENTIFIER)
        election.run(hold_until, arguments[0])
    elif what == "contenders" and not arguments:
        for data in SharedNamesLock(client, path).contenders():
            print("contender", data, flush=True)
    else:
        usage()


def usage():
    print(__doc__, file=sys.stderr)
    raise SystemExit(2)


def main(arguments):
    if len(arguments) < 3:
        usage()
    what, servers, path, *rest = arguments
    client = KazooClient(hosts=servers)
    client.start()
    print("READY", flush=True)
    try:
        run(client, what, path, rest)
    finally:
        client.stop()
        client.close()


if __name__ == "__main__":
    main(sys.argv[1:])
