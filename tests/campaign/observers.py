# SPDX-License-Identifier: Apache-2.0
"""Reads the locks of servers other than ZooKeeper: the children of a folder, and the data of a contender. The clients
share no code with the library. A server that does not answer in time yields no observation.
"""

import socket
import sqlite3
import struct

PATIENCE = 1.0  # seconds


class Unanswered(Exception):
    pass


class Observer:
    """A subclass asks the server in `_children` and `_data`, which may raise Unanswered or OSError. Then the answer is
    empty, and the next question uses a new connection.
    """

    def children(self, path):
        return self._safely(self._children, path, [])

    def data(self, path):
        return self._safely(self._data, path, "")

    def _safely(self, question, path, otherwise):
        try:
            return question(path)
        except (OSError, Unanswered):
            self.close()
            return otherwise

    def close(self):
        pass


class Link:
    """Reads a connection byte by byte. Each wait has a limit."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), PATIENCE)
        self.socket.settimeout(PATIENCE)
        self.file = self.socket.makefile("rb")

    def send(self, data):
        self.socket.sendall(data)

    def exactly(self, count):
        data = self.file.read(count)
        if len(data) < count:
            raise Unanswered("the server closed the connection")
        return data

    def line(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise Unanswered("the server closed the connection")
        return line[:-2]

    def close(self):
        self.file.close()
        self.socket.close()


class Redis(Observer):
    """`address` is a function's result or a fixed text: a master's address may change."""

    def __init__(self, address):
        self.address, self.link = address, None

    def ask(self, *words):
        if self.link is None:
            self.link = Link(self.address)
        text = b"*%d\r\n" % len(words)
        for word in words:
            word = word if isinstance(word, bytes) else str(word).encode()
            text += b"$%d\r\n%s\r\n" % (len(word), word)
        self.link.send(text)
        return self._reply()

    def _reply(self):
        line = self.link.line()
        kind, rest = line[:1], line[1:]
        if kind == b"-":
            raise Unanswered(rest.decode(errors="replace"))
        if kind == b"$":
            return None if rest == b"-1" else self.link.exactly(int(rest) + 2)[:-2]
        if kind == b"*":
            return [self._reply() for _ in range(int(rest))]
        return rest

    def _children(self, path):
        return sorted(name.decode() for name in self.ask("SMEMBERS", "{turnstile}:c:" + path))

    def _data(self, path):
        record = self.ask("HGET", "{turnstile}:n", path)
        return data_of(record).decode(errors="replace") if record else ""

    def close(self):
        if self.link is not None:
            self.link.close()
        self.link = None


CREATOR_ONLY = 4


def data_of(record):
    """Returns the data in a znode's record in Redis: the bytes after the record's 64-byte head, without the owner's
    identity.
    """
    what = struct.unpack_from("<i", record, 60)[0]
    return record[104 if what & CREATOR_ONLY else 64:]


class PostgreSQL(Observer):
    """Sends simple queries to PostgreSQL, for a user without a password."""

    def __init__(self, address):
        self.address, self.link = address, None

    def ask(self, query):
        if self.link is None:
            self._connect()
        data = query.encode() + b"\0"
        self.link.send(b"Q" + struct.pack(">i", len(data) + 4) + data)
        rows = []
        while True:
            kind, body = self._message()
            if kind == b"D":
                rows.append(self._row(body))
            elif kind == b"E":
                raise Unanswered(body.decode(errors="replace"))
            elif kind == b"Z":
                return rows

    def _connect(self):
        link = Link(self.address)
        body = struct.pack(">i", 196608) + b"user\0postgres\0database\0postgres\0application_name\0observer\0\0"
        link.send(struct.pack(">i", len(body) + 4) + body)
        self.link = link
        while True:
            kind, body = self._message()
            if kind == b"E":
                raise Unanswered(body.decode(errors="replace"))
            if kind == b"Z":
                return

    def _message(self):
        head = self.link.exactly(5)
        return head[:1], self.link.exactly(struct.unpack(">i", head[1:])[0] - 4)

    @staticmethod
    def _row(body):
        count, at, cells = struct.unpack_from(">h", body)[0], 2, []
        for _ in range(count):
            size = struct.unpack_from(">i", body, at)[0]
            at += 4
            cells.append(body[at : at + max(size, 0)].decode(errors="replace"))
            at += max(size, 0)
        return cells

    def _children(self, path):
        rows = self.ask(f"SELECT substr(path, length(parent) + 2) FROM turnstile_nodes WHERE parent = '{path}' ORDER BY 1")
        return [row[0] for row in rows]

    def _data(self, path):
        rows = self.ask(f"SELECT convert_from(data, 'UTF8') FROM turnstile_nodes WHERE path = '{path}'")
        return rows[0][0] if rows else ""

    def close(self):
        if self.link is not None:
            self.link.close()
        self.link = None


class MariaDB(Observer):
    """Sends text queries to MariaDB or MySQL, for a user without a password."""

    # The client announces these capabilities of MySQL's protocol: CONNECT_WITH_DB, PROTOCOL_41, TRANSACTIONS,
    # SECURE_CONNECTION and PLUGIN_AUTH.
    CAPABILITIES = 0x8 | 0x200 | 0x2000 | 0x8000 | 0x80000

    def __init__(self, address):
        self.address, self.link = address, None

    def ask(self, query):
        """Returns the rows of the answer, as bytes."""
        if self.link is None:
            self._connect()
        self._send(0, b"\x03" + query.encode())
        head = self._packet()
        if head[0] == 0:
            return []
        for _ in range(self._length(head, 0)[0]):
            self._packet()  # reads the description of a column
        self._packet()
        rows = []
        while not self._is_last(packet := self._packet()):
            rows.append(self._row(packet))
        return rows

    def _connect(self):
        self.link = Link(self.address)
        self._packet()
        body = struct.pack("<IIB23x", self.CAPABILITIES, 1 << 24, 45)
        self._send(1, body + b"root\0" + b"\0" + b"turnstile\0" + b"mysql_native_password\0")
        answer = self._packet()
        if answer[0] == 0xFE:  # MySQL requests another proof of the password, which is empty
            self._send(3, b"")
            answer = self._packet()
        if answer[0] != 0:
            raise Unanswered("another way to log in is wanted")

    def _send(self, number, body):
        self.link.send(struct.pack("<I", len(body) | number << 24) + body)

    def _packet(self):
        size = struct.unpack("<I", self.link.exactly(4))[0] & 0xFFFFFF
        body = self.link.exactly(size)
        if body[:1] == b"\xff":
            raise Unanswered(body[3:].decode(errors="replace"))
        return body

    @staticmethod
    def _is_last(packet):
        return packet[0] == 0xFE and len(packet) < 9

    @staticmethod
    def _length(body, at):
        """Decodes a length of one to nine bytes. Returns the length and the position after it."""
        size = {0xFC: 2, 0xFD: 3, 0xFE: 8}.get(body[at], 0)
        return (int.from_bytes(body[at + 1 : at + 1 + size], "little") if size else body[at]), at + 1 + size

    def _row(self, body):
        cells, at = [], 0
        while at < len(body):
            if body[at] == 0xFB:  # NULL
                cells.append(b"")
                at += 1
                continue
            size, at = self._length(body, at)
            cells.append(body[at : at + size])
            at += size
        return cells

    def _children(self, path):
        rows = self.ask(f"SELECT path FROM turnstile_nodes WHERE parent = '{path}' ORDER BY path")
        return [row[0].decode().rsplit("/", 1)[1] for row in rows]

    def _data(self, path):
        rows = self.ask(f"SELECT data FROM turnstile_nodes WHERE path = '{path}'")
        return rows[0][0].decode(errors="replace") if rows else ""

    def close(self):
        if self.link is not None:
            self.link.close()
        self.link = None


class SQLite(Observer):
    def __init__(self, file):
        self.file, self.base = file, None

    def ask(self, query, *values):
        try:
            if self.base is None:
                self.base = sqlite3.connect(self.file, timeout=PATIENCE, isolation_level=None)
            return self.base.execute(query, values).fetchall()
        except sqlite3.Error as why:
            raise Unanswered(str(why)) from why

    def _children(self, path):
        rows = self.ask("SELECT path FROM turnstile_nodes WHERE parent = ? ORDER BY path", path)
        return [row[0].rsplit("/", 1)[1] for row in rows]

    def _data(self, path):
        rows = self.ask("SELECT data FROM turnstile_nodes WHERE path = ?", path)
        return bytes(rows[0][0]).decode(errors="replace") if rows else ""

    def close(self):
        if self.base is not None:
            self.base.close()
        self.base = None
