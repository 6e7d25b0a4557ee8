# SPDX-License-Identifier: Apache-2.0
"""Runs the servers for the peers. Each server ends when this process ends, for whatever reason."""

import re
import socket
import subprocess
import time
from pathlib import Path

# A shell script that runs a program and ends it when standard input ends.
LEASH = 'folder=$1; shift; "$@" >"$folder/log" 2>&1 </dev/null & child=$!; cat >/dev/null; exec 2>/dev/null; kill "$child"; wait "$child"'
START_SECONDS = 60
POLL_SECONDS = 0.05


class BackendError(Exception):
    """Error: a server did not start. The message contains the end of the server's log."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def four_letter_word(address, word):
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(word.encode())
        chunks = []
        while chunk := connection.recv(65536):
            chunks.append(chunk)
    return b"".join(chunks).decode()


class Leashed:
    """A server's program, which ends with this process."""

    def __init__(self, folder, command):
        self.folder = folder
        self._process = subprocess.Popen(["sh", "-c", LEASH, "sh", str(folder), *command],
                                         stdin=subprocess.PIPE)

    def log(self):
        file = self.folder / "log"
        return file.read_text(errors="replace")[-2000:] if file.exists() else ""

    def end(self):
        self._process.stdin.close()
        self._process.wait()


class Zookeeper:
    """One or three ZooKeeper servers, which turnstile::testing runs (servers.cpp)."""

    def __init__(self, folder, build, count, on_disk):
        self._addresses = self._start(folder, build, count, on_disk)[0].split(",")
        self.version = self._version()

    def _start(self, folder, build, count, on_disk, *options):
        """Starts the servers, and returns the words that they print."""
        sync = "on" if on_disk else "off"
        self._process = subprocess.Popen([str(build / "servers"), str(count), str(folder), sync, *options],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        ready, *words = self._process.stdout.readline().split() or [""]
        if ready != "ready":
            raise BackendError("ZooKeeper did not start, see above")
        return words

    def each(self):
        return self._addresses

    def counters(self):
        """Returns the integers of `mntr`, summed over the servers."""
        total = {}
        for one in self.each():
            for line in four_letter_word(one, "mntr").splitlines():
                name, _, value = line.partition("\t")
                if value.lstrip("-").isdigit():
                    total[name] = total.get(name, 0) + int(value)
        return total

    def connections(self):
        """Returns (packets received, packets sent) over all clients' connections. The connection that sends `cons`
        has no session, and does not count.
        """
        received = sent = 0
        for one in self.each():
            for line in four_letter_word(one, "cons").splitlines():
                if "sid=" not in line:
                    continue
                fields = dict(field.split("=", 1) for field in line.partition("(")[2].rstrip(")").split(",")
                              if "=" in field)
                received += int(fields["recved"])
                sent += int(fields["sent"])
        return received, sent

    def counts(self):
        counters = self.counters()
        return {"requests": counters["zk_packets_received"], "log syncs": counters.get("zk_cnt_fsynctime", 0)}

    def _version(self):
        line = four_letter_word(self.each()[0], "srvr").splitlines()[0]
        return line.partition(": ")[2].partition("-")[0]

    def end(self):
        self._process.stdin.close()
        self._process.wait()


class SecuredZookeeper(Zookeeper):
    """ZooKeeper servers with a port only for TLS. They report no version, because four-letter words would need TLS too.
    """

    version = ""

    def __init__(self, folder, build, count, on_disk):
        addresses, authority = self._start(folder, build, count, on_disk, "tls")
        self._addresses = [f"zookeepers://{address}?ca_file={authority}" for address in addresses.split(",")]


class Etcd:
    """An etcd with as many members as ZooKeeper has servers. If its folder is in memory, its fsync costs nothing."""

    def __init__(self, folder, count):
        self.version = subprocess.run(["etcd", "--version"], capture_output=True, text=True,
                                      check=True).stdout.splitlines()[0].partition(": ")[2]
        members = [(f"m{i}", free_port(), free_port()) for i in range(count)]
        cluster = ",".join(f"{name}=http://127.0.0.1:{peer}" for name, _, peer in members)
        self._members = []
        for name, client, peer in members:
            (folder / name).mkdir()
            urls = {"listen-client-urls": client, "advertise-client-urls": client,
                    "listen-peer-urls": peer, "initial-advertise-peer-urls": peer}
            self._members.append(Leashed(folder / name, [
                "etcd", "--name", name, "--data-dir", str(folder / name / "data"), "--log-level", "error",
                "--initial-cluster", cluster,
                *(f"--{option}=http://127.0.0.1:{port}" for option, port in urls.items())]))
        self._addresses = [f"http://127.0.0.1:{client}" for _, client, _ in members]
        for (_, client, _), member in zip(members, self._members):
            wait_for_port("etcd", client, member)

    def each(self):
        return self._addresses

    def end(self):
        for member in self._members:
            member.end()


class Redis:
    """A single Redis, because the peers' locks use only one server. On disk it syncs each write, as the others do."""

    def __init__(self, folder, on_disk):
        port = free_port()
        self._address = f"127.0.0.1:{port}"
        self.version = subprocess.run(["redis-server", "--version"], capture_output=True, text=True,
                                      check=True).stdout.split("v=")[1].split()[0]
        durable = ["--appendonly", "yes", "--appendfsync", "always"] if on_disk else []
        self._server = Leashed(folder, ["redis-server", "--port", str(port), "--bind", "127.0.0.1",
                                        "--dir", str(folder), "--save", "", *durable])
        wait_for_port("redis-server", port, self._server)

    def each(self):
        return [self._address]

    def counts(self):
        """Returns the number of calls of each command. Calls by scripts count as well."""
        host, _, port = self._address.partition(":")
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            connection.sendall(b"INFO commandstats\r\nQUIT\r\n")
            chunks = []
            while chunk := connection.recv(65536):
                chunks.append(chunk)
        lines = re.findall(r"cmdstat_([^:]+):calls=(\d+)", b"".join(chunks).decode())
        return {name: int(calls) for name, calls in lines if name not in ("info", "quit")}

    def end(self):
        self._server.end()


def wait_for_port(name, port, server):
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(POLL_SECONDS)
    raise BackendError(f"{name} does not serve; its log:\n{server.log()}")
