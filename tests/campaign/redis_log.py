# SPDX-License-Identifier: Apache-2.0
"""Reads a Redis server's append-only file: every change of the znodes that the server executed, in order.

The effects of one script are a MULTI ... EXEC in the file, or a single command. Each write of the tree sets the field
"z" to its number, which is the server's time in microseconds, or one more than the previous number. The reader relies
only on the keys that docs/why/redis.md documents.
"""

import os
import struct

from observers import data_of
from txn_log import Transaction

NODES, DEADLINES, ENTRIES = b"{turnstile}:n", b"{turnstile}:d", b"{turnstile}:campaign-entries"


def commands(folder):
    """Returns all commands in the parts of an append-only file, in order. The base file is empty, because the server
    never rewrites the file.
    """
    parts = [name for name in os.listdir(folder) if name.endswith(".incr.aof")]
    parts.sort(key=lambda name: int(name.split(".")[-3]))
    for name in parts:
        with open(os.path.join(folder, name), "rb") as file:
            while (head := file.readline()).startswith((b"*", b"#")):
                if head.startswith(b"#"):
                    continue
                words = [read_word(file) for _ in range(int(head[1:]))]
                if None in words:
                    break  # a killed server had written only a part of this command
                yield words


def read_word(file):
    head = file.readline()
    if not head.startswith(b"$") or not head.endswith(b"\n"):
        return None
    size = int(head[1:])
    data = file.read(size + 2)
    return data[:-2] if len(data) == size + 2 else None


def groups(all_commands):
    group = None
    for words in all_commands:
        name = words[0].upper()
        if name == b"MULTI":
            group = []
        elif name == b"EXEC":
            yield group
            group = None
        elif group is not None:
            group.append(words)
        else:
            yield [words]


def fields_of(words):
    return dict(zip(words[2::2], words[3::2]))


def numbers(group, latest):
    """Returns for each command of a script the number of the write to which the command belongs."""
    found, z = [], None
    for words in reversed(group):
        if words[0].upper() == b"HSET" and words[1] == NODES and b"z" in (fields := fields_of(words)):
            z = int(float(fields[b"z"]))
        found.append(z)
    found.reverse()
    last = latest
    for i, number in enumerate(found):
        last = number if number is not None else last
        found[i] = last
    return found


class Reader:
    def __init__(self):
        self.deadlines = {}  # session -> deadline in microseconds of the server's clock
        self.known = set()  # paths of existing znodes
        self.entries = []
        self.latest = 0

    def take(self, group):
        for words, z in zip(group, numbers(group, self.latest)):
            self.latest = z
            name, key = words[0].upper(), words[1] if len(words) > 1 else b""
            if name == b"HSET" and key == NODES:
                yield from self.fields(fields_of(words), z)
            elif name == b"HDEL" and key == NODES:
                yield from self.gone(words[2:], z)
            elif name == b"ZADD" and key == DEADLINES:
                yield from self.heard(words, z)
            elif name == b"ZREM" and key == DEADLINES:
                yield self.end(int(words[2]), z)
            elif name == b"RPUSH" and key == ENTRIES:
                self.entries.append(words[2].decode())

    def heard(self, words, z):
        session, deadline = int(words[-1]), int(float(words[-2]))
        if session not in self.deadlines:
            yield Transaction(z, z / 1000, session, [("open", 0)])
        self.deadlines[session] = deadline

    def end(self, session, z):
        """Returns how a session ended. A session whose deadline has passed did not end itself."""
        due = self.deadlines.pop(session, 0) <= z
        return Transaction(z, z / 1000, session, [("expire",) if due else ("close",)])

    def fields(self, fields, z):
        for path, record in fields.items():
            if not path.startswith(b"/") or len(record) < 64:
                continue
            czxid, mzxid = (int(number) for number in struct.unpack_from("<dd", record))
            owner = int(struct.unpack_from("<d", record, 40)[0])
            data = data_of(record).decode(errors="replace")
            text = path.decode(errors="replace")
            if path not in self.known:
                self.known.add(path)
                yield Transaction(z, z / 1000 if owner else z // 1000, owner, [("create", text, data, owner != 0)])
            elif mzxid == z and czxid != z:
                yield Transaction(z, z // 1000, 0, [("set", text, data)])

    def gone(self, names, z):
        for path in names:
            if path in self.known:
                self.known.discard(path)
                yield Transaction(z, z / 1000, 0, [("delete", path.decode(errors="replace"))])


def transactions(folder):
    """Returns (transactions, entries that workers appended under redis::check)."""
    reader, found = Reader(), []
    for group in groups(commands(folder)):
        found += reader.take(group)
    return found, reader.entries
