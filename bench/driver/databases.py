# SPDX-License-Identifier: Apache-2.0
"""Runs PostgreSQL, MariaDB, and a folder for locks on files, with the interface of backends.py.

Each commit is synced to the log (fsync). On a disk this is most of the commit's cost; on /dev/shm it costs almost
nothing.
"""

import os
import re
import subprocess
import time
from pathlib import Path

from .backends import BackendError, Leashed, free_port, wait_for_port

MOST_CONNECTIONS = 1200  # each waiter in a queue of 1,000 has a connection
NOBODY = 65534
POSTGRESQL = Path("/usr/lib/postgresql")
POLL_SECONDS = 0.1
START_SECONDS = 60


def run(command):
    """Returns the command's output. Raises BackendError with the command's message."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BackendError(f"{command[0]} failed: {(done.stderr or done.stdout)[-1000:]}")
    return done.stdout


def postgresql_programs():
    found = sorted(POSTGRESQL.glob("*/bin/initdb"), key=lambda file: int(file.parts[-3]))
    if not found:
        raise BackendError(f"there is no PostgreSQL server in {POSTGRESQL}")
    return found[-1].parent


class Postgresql:
    """A PostgreSQL server, which refuses to run as root. If this process is root, the server runs as `nobody`. While
    `counting` is on, the server counts statements.
    """

    def __init__(self, folder):
        self._programs = postgresql_programs()
        data = folder / "data"
        data.mkdir()
        user = []
        if os.geteuid() == 0:
            os.chown(data, NOBODY, NOBODY)
            user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
        run([*user, str(self._programs / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8",
             "--locale=C", "--no-sync"])
        port = free_port()
        with open(data / "postgresql.conf", "a") as config:
            config.write(f"\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nport = {port}\n"
                         f"fsync = on\nmax_connections = {MOST_CONNECTIONS}\n"
                         "shared_preload_libraries = 'pg_stat_statements'\npg_stat_statements.track = none\n")
        self._uri = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        self._server = Leashed(folder, [*user, str(self._programs / "postgres"), "-D", str(data)])
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                self.ask("CREATE EXTENSION pg_stat_statements")
                break
            except BackendError as failure:
                if time.monotonic() > until:
                    raise BackendError(f"PostgreSQL does not serve; its log:\n{self._server.log()}") from failure
                time.sleep(POLL_SECONDS)
        self.version = self.ask("SHOW server_version").split()[0]

    def each(self):
        return [self._uri]

    def ask(self, text):
        return run([str(self._programs / "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", text, self._uri]).strip()

    def counting(self, on):
        """Turns counting on or off for connections that begin later."""
        self.ask(f"ALTER DATABASE postgres SET pg_stat_statements.track = '{'top' if on else 'none'}'")

    def counts(self):
        """Returns the counts of connections that have ended."""
        self._await_ended()
        text = self.ask("SELECT (SELECT coalesce(sum(calls), 0) FROM pg_stat_statements), xact_commit + xact_rollback, "
                        "(SELECT wal_sync FROM pg_stat_wal) FROM pg_stat_database WHERE datname = 'postgres'")
        return dict(zip(("requests", "transactions", "log syncs"), map(int, text.split("|"))))

    def _await_ended(self):
        while self.ask("SELECT count(*) FROM pg_stat_activity WHERE datname = 'postgres'") != "1":
            time.sleep(POLL_SECONDS)

    def end(self):
        self._server.end()


class Mariadb:
    """A MariaDB server. The peers log in as root without a password, in the database `test`."""

    def __init__(self, folder):
        data = folder / "data"
        user = ["--user=root"] if os.geteuid() == 0 else []
        run(["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal",
             "--skip-test-db", *user])
        port = free_port()
        self._address = f"127.0.0.1:{port}"
        self._server = Leashed(folder, [
            "mariadbd", "--no-defaults", f"--datadir={data}", "--bind-address=127.0.0.1", f"--port={port}",
            f"--socket={folder / 'socket'}", f"--max-connections={MOST_CONNECTIONS}", "--skip-name-resolve",
            "--innodb-flush-log-at-trx-commit=1", *user])
        wait_for_port("mariadbd", port, self._server)
        self._ask("CREATE DATABASE test", database=None)
        self.version = self._ask("SELECT version()").partition("-")[0]

    def each(self):
        return [self._address]

    def _ask(self, text, database="test"):
        host, _, port = self._address.partition(":")
        return run(["mariadb", "--no-defaults", "--skip-ssl-verify-server-cert", "-N", "-B", "-h", host, "-P", port,
                    "-u", "root", "-e", text, *([database] if database else [])]).strip()

    def counts(self):
        names = {"Questions": "requests", "Handler_commit": "transactions"}
        text = self._ask("SHOW GLOBAL STATUS WHERE Variable_name IN "
                         f"({', '.join(repr(name) for name in names)})")
        return {names[name]: int(number) for name, number in re.findall(r"(\w+)\t(\d+)", text)}

    def end(self):
        self._server.end()


class Files:
    """A folder in place of a server: for SQLite's files, and for files that are themselves locked."""

    version = ""

    def __init__(self, folder):
        self._folder = folder

    def each(self):
        return [str(self._folder)]

    def end(self):
        pass
