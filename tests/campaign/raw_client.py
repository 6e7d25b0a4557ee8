# SPDX-License-Identifier: Apache-2.0
"""A ZooKeeper client of a hundred lines that shares no code with the library. Observes the servers from outside, and
does an operator's work.
"""

import socket
import ssl
import struct
import urllib.parse

CREATE, DELETE, GET_DATA, GET_CHILDREN, PING, CLOSE = 1, 2, 4, 8, 11, -11
PERSISTENT, PERSISTENT_SEQUENTIAL = 0, 2


class RawError(Exception):
    """Error: the server did not answer, or refused a request."""

    def __init__(self, message, code=0):
        super().__init__(message)
        self.code = code


def text(value):
    data = value.encode()
    return struct.pack(">i", len(data)) + data


def connect_request(timeout_ms):
    return framed(struct.pack(">iqiqi16sb", 0, 0, timeout_ms, 0, 16, bytes(16), 0))


def framed(body):
    return struct.pack(">i", len(body)) + body


PING_FRAME = framed(struct.pack(">ii", -2, PING))
CLOSE_FRAME = framed(struct.pack(">ii", 1, CLOSE))


def address_of(server):
    host, port = server.partition("?")[0].rsplit(":", 1)
    return host, int(port)


def security_of(server):
    """Returns the TLS context for "host:port?ca_file=...&cert_file=...&key_file=...", or None if the text has no
    options.
    """
    files = dict(urllib.parse.parse_qsl(server.partition("?")[2]))
    if not files:
        return None
    context = ssl.create_default_context(cafile=files["ca_file"])
    context.load_cert_chain(files["cert_file"], files["key_file"])
    return context


def connected(server, patience):
    """Opens a connection to the server. Each connection reads the certificates again, because a campaign renews them.
    """
    link = socket.create_connection(address_of(server), patience)
    try:
        security = security_of(server)
        return security.wrap_socket(link, server_hostname=address_of(server)[0]) if security else link
    except OSError:
        link.close()
        raise


def four_letter_word(server, word, timeout=1.0):
    """Returns the server's answer, or an empty text if the server does not answer in time."""
    try:
        with connected(server, timeout) as link:
            link.settimeout(timeout)
            link.sendall(word.encode())
            answer = b""
            while more := link.recv(65536):
                answer += more
            return answer.decode()
    except OSError:
        return ""


def mode_of(server):
    """Returns "leader", "follower", or an empty text."""
    for line in four_letter_word(server, "srvr").splitlines():
        if line.startswith("Mode: "):
            return line[6:]
    return ""


class Session:
    """A session at one server. Every call waits for the answer."""

    def __init__(self, server, timeout_ms=20_000, patience=2.0):
        try:
            self.link = connected(server, patience)
            self.link.settimeout(patience)
            self.link.sendall(connect_request(timeout_ms))
            answer = self._frame()
        except OSError as why:
            raise RawError(f"{server}: {why}") from why
        self.id = struct.unpack_from(">q", answer, 8)[0]
        self.xid = 0
        self.zxid = 0  # latest transaction that the server's tree had applied at its latest answer
        if self.id == 0:
            raise RawError(f"{server}: no session")

    def close(self):
        try:
            self.link.sendall(CLOSE_FRAME)
        except OSError:
            pass
        self.link.close()

    def children(self, path):
        answer = self._ask(GET_CHILDREN, text(path) + b"\0")
        count, at, names = struct.unpack_from(">i", answer)[0], 4, []
        for _ in range(count):
            size = struct.unpack_from(">i", answer, at)[0]
            names.append(answer[at + 4 : at + 4 + size].decode())
            at += 4 + size
        return names

    def data(self, path):
        answer = self._ask(GET_DATA, text(path) + b"\0")
        size = struct.unpack_from(">i", answer)[0]
        return answer[4 : 4 + max(size, 0)].decode(errors="replace")

    def create(self, path, mode=PERSISTENT):
        """Creates a znode without data, with all permissions for all clients. Returns its path."""
        acl = struct.pack(">ii", 1, 31) + text("world") + text("anyone")
        answer = self._ask(CREATE, text(path) + text("") + acl + struct.pack(">i", mode))
        return answer[4:].decode()

    def delete(self, path):
        self._ask(DELETE, text(path) + struct.pack(">i", -1))

    def _ask(self, kind, body):
        self.xid += 1
        try:
            self.link.sendall(framed(struct.pack(">ii", self.xid, kind) + body))
            while True:
                answer = self._frame()
                xid, zxid, error = struct.unpack_from(">iqi", answer)
                if xid == self.xid:
                    self.zxid = zxid
                    break
        except OSError as why:
            raise RawError(str(why)) from why
        if error != 0:
            raise RawError(f"error {error}", error)
        return answer[16:]

    def _frame(self):
        return self._bytes(struct.unpack(">i", self._bytes(4))[0])

    def _bytes(self, count):
        got = b""
        while len(got) < count:
            more = self.link.recv(count - len(got))
            if not more:
                raise OSError("the server closed the connection")
            got += more
        return got


class Observer:
    """Observes the servers through any server that answers."""

    def __init__(self, servers):
        self.servers = list(servers)
        self.session = None

    def ask(self, question):
        """Returns question(session) from the first server that answers, or None if no server answers."""
        for _ in range(len(self.servers) + 1):
            try:
                if self.session is None:
                    self.session = Session(self.servers[0])
                return question(self.session)
            except RawError as why:
                if why.code != 0:
                    raise
                if self.session is not None:
                    self.session.link.close()
                self.session = None
                self.servers.append(self.servers.pop(0))
        return None

    def children(self, path):
        try:
            return self.ask(lambda session: session.children(path)) or []
        except RawError:
            return []

    def data(self, path):
        try:
            return self.ask(lambda session: session.data(path)) or ""
        except RawError:
            return ""
