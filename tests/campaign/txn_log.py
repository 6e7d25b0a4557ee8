# SPDX-License-Identifier: Apache-2.0
"""Reads the servers' transaction logs: every change that the servers executed, in order.

The format is ZooKeeper's FileTxnLog: a header, and then records. A record has a checksum, a length, a TxnHeader and the
transaction. The reader decodes only what the judge needs.
"""

import heapq
import os
import re
import struct

CREATE, DELETE, SET_DATA, CHECK, MULTI, CREATE2 = 1, 2, 5, 13, 14, 15
CREATE_CONTAINER, DELETE_CONTAINER, CREATE_TTL = 19, 20, 21
OPEN_SESSION, CLOSE_SESSION, ERROR = -10, -11, -1
NUMBER = re.compile(r"\d{10}$")  # number of a sequential znode


class Transaction:
    """An executed transaction. Its `parts` are tuples: ("create", path, data, ephemeral), ("delete", path), ("set",
    path, data), ("open", timeout), ("close",), ("expire",).
    """

    __slots__ = ("zxid", "time", "session", "parts")

    def __init__(self, zxid, when, session, parts):
        self.zxid, self.time, self.session, self.parts = zxid, when, session, parts


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, form):
        value = struct.unpack_from(form, self.data, self.at)[0]
        self.at += struct.calcsize(form)
        return value

    def int(self):
        return self.number(">i")

    def long(self):
        return self.number(">q")

    def buffer(self):
        size = max(self.int(), 0)
        self.at += size
        return self.data[self.at - size : self.at]

    def text(self):
        return self.buffer().decode(errors="replace")


def skip_acl(reader):
    for _ in range(max(reader.int(), 0)):
        reader.int()
        reader.buffer()
        reader.buffer()


def part_of(kind, reader, request):
    """Decodes one part of a transaction. Returns None if the judge does not need that part. `request`: the number that
    the client gave its request; requests of the servers have none.
    """
    if kind in (CREATE, CREATE2):
        path, data = reader.text(), reader.text()
        skip_acl(reader)
        return ("create", path, data, reader.number(">b") != 0)
    if kind in (CREATE_CONTAINER, CREATE_TTL):
        return ("create", reader.text(), reader.text(), False)
    if kind in (DELETE, DELETE_CONTAINER):
        return ("delete", reader.text())
    if kind == SET_DATA:
        return ("set", reader.text(), reader.text())
    if kind == OPEN_SESSION:
        return ("open", reader.int())
    if kind == CLOSE_SESSION:
        return ("close",) if request else ("expire",)
    return None


def parts_of(kind, reader, request):
    if kind != MULTI:
        part = part_of(kind, reader, request)
        return [part] if part else []
    parts = []
    for _ in range(max(reader.int(), 0)):
        inner = reader.int()
        body = Reader(reader.buffer())
        if inner == ERROR:
            return []  # the servers executed no part of a failed transaction
        if part := part_of(inner, body, request):
            parts.append(part)
    return parts


def file_transactions(path):
    """Yields pairs (zxid, raw bytes) in order."""
    with open(path, "rb") as file:
        if file.read(4) != b"ZKLG":
            return
        file.seek(16)
        while len(head := file.read(12)) == 12:
            size = struct.unpack_from(">i", head, 8)[0]
            if size <= 0:
                return
            body = file.read(size + 1)
            if len(body) != size + 1 or body[-1:] != b"B":
                return  # the server wrote only a part of the record
            yield struct.unpack_from(">q", body, 12)[0], body


def folder_transactions(folder):
    """Returns the transactions of one server in the order of zxid. A server that rejoins the ensemble may receive
    transactions that its log already has.
    """
    files = [name for name in os.listdir(folder) if name.startswith("log.")]
    last = 0
    for name in sorted(files, key=lambda n: int(n[4:], 16)):
        for zxid, body in file_transactions(os.path.join(folder, name)):
            if zxid > last:
                last = zxid
                yield zxid, body


def committed(folders):
    """Returns for each leader's term the last transaction that a majority has. A leader without followers may have
    logged further transactions. They stay in its log, even if it gets a snapshot later.
    """
    lasts = {}
    for folder in folders:
        mine = {}
        for zxid, _ in folder_transactions(folder):
            mine[zxid >> 32] = zxid
        for term, zxid in mine.items():
            lasts.setdefault(term, []).append(zxid)
    majority = len(folders) // 2
    return {term: sorted(zxids, reverse=True)[majority] for term, zxids in lasts.items()
            if len(zxids) > majority}


def transactions(folders):
    """Returns the transactions that the servers executed: the union of their logs, in the order of zxid. If a server
    lagged behind, the logs of the other servers fill its gaps.
    """
    limits = committed(folders)
    seen = 0
    for zxid, raw in heapq.merge(*(folder_transactions(f) for f in folders), key=lambda t: t[0]):
        if zxid == seen or zxid > limits.get(zxid >> 32, 0):
            continue
        seen = zxid
        reader = Reader(raw)
        session, request, _, when, kind = (reader.long(), reader.int(), reader.long(), reader.long(),
                                           reader.int())
        yield Transaction(zxid, when, session, parts_of(kind, reader, request))


class Znode:
    __slots__ = ("path", "data", "owner", "czxid", "made", "gone", "gone_zxid", "gone_by")

    def __init__(self, path, data, owner, czxid, made):
        self.path, self.data, self.owner, self.czxid, self.made = path, data, owner, czxid, made
        # gone_by: the session that removed the znode, or how the owner's session ended
        self.gone = self.gone_zxid = self.gone_by = None

    @property
    def folder(self):
        return self.path.rsplit("/", 1)[0]

    @property
    def name(self):
        return self.path.rsplit("/", 1)[1]


class Removal:
    """The removal of a znode, as a line in a verdict."""

    def __init__(self, znode):
        self.znode = znode

    def __str__(self):
        z = self.znode
        made = f"transaction logs: {z.path} of session {z.owner:#x}, created by {z.czxid:#x}"
        if z.gone is None:
            return made + ", still there"
        how = {"expire": "expired", "close": "closed", "gone": "ended with its process"}.get(
            z.gone_by) or f"deleted by {z.gone_by:#x}"
        return f"{made}, {how} by {z.gone_zxid:#x} at {z.gone} ms since 1970"


class History:
    """The history of the servers: the znodes below one root, the sessions, and the writes to persistent znodes. Times
    are milliseconds of the leader's wall clock.

    `elects_leaders`: the servers elect a leader, and may then drop a create that a majority had logged. This happens
    when a server votes with the last transaction of its tree, although its log has later ones. The history leaves out
    the znode of such a create. A folder gives each number to one create, until the folder is made again. So if creates
    of two sessions have the same number, the servers dropped the earlier create.
    """

    def __init__(self, log, root="/campaign", elects_leaders=False):
        self.znodes = []  # ephemeral znodes in the order of czxid
        self.writes = {}  # path -> [(zxid, time, data)]
        # Three dictionaries of ended sessions: session -> (zxid, time). `closed`: the session closed itself. `expired`:
        # the servers expired the session. `gone`: another client saw the session's process end, and ended the session.
        self.closed, self.expired, self.gone = {}, {}, {}
        self.entries = []  # entries that workers appended under sql::check or redis::check
        self.standing = {}
        self.dropped = []  # znodes whose create the servers dropped
        owned = {}
        numbered = {}  # folder -> number -> znode
        for t in log:
            for part in t.parts:
                if part[0] in ("close", "expire", "gone"):
                    over = {"close": self.closed, "expire": self.expired, "gone": self.gone}[part[0]]
                    over[t.session] = (t.zxid, t.time)
                    for path in owned.pop(t.session, ()):
                        self._remove(path, t, part[0])
                elif len(part) < 2 or part[0] == "open" or not part[1].startswith(root):
                    continue
                elif part[0] == "create" and part[3]:
                    made = Znode(part[1], part[2], t.session, t.zxid, t.time)
                    if elects_leaders and (number := NUMBER.search(made.name)):
                        of_folder = numbered.setdefault(made.folder, {})
                        first = of_folder.setdefault(number[0], made)
                        if first.owner != made.owner:  # a converted contender keeps its number and its session
                            self._drop(first, owned)
                            of_folder[number[0]] = made
                    self.znodes.append(made)
                    self.standing[part[1]] = made
                    owned.setdefault(t.session, set()).add(part[1])
                elif part[0] == "delete":
                    self._remove(part[1], t, t.session)
                else:
                    if part[0] == "create":
                        numbered.pop(part[1], None)
                    self.writes.setdefault(part[1], []).append((t.zxid, t.time, part[2]))

    def _drop(self, znode, owned):
        self.dropped.append(znode)
        self.znodes.remove(znode)
        if self.standing.get(znode.path) is znode:
            del self.standing[znode.path]
            owned.get(znode.owner, set()).discard(znode.path)

    def _remove(self, path, t, by):
        znode = self.standing.pop(path, None)
        if znode is not None:
            znode.gone, znode.gone_zxid, znode.gone_by = t.time, t.zxid, by
