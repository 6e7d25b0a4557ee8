# SPDX-License-Identifier: Apache-2.0
"""The kinds of servers that a campaign can use: the workers' connect strings, the nemeses, and the servers' records
that the judge reads.
"""

import os
import shutil
import sqlite3
import subprocess
import sys
import time

import observers
from crew import HERE, Flock, NoStage, Stage, poll
from lookout import Lookout
from nemeses import SecuredNemeses, ZooKeeperNemeses
from raw_client import Observer, RawError, Session, four_letter_word, mode_of
from server_nemeses import FileNemeses, MariaDBNemeses, ReplicaNemeses, SentinelNemeses, ServerNemeses

ROLES = ["mutex", "recursive", "retained", "multi", "commit", "put", "shared", "semaphore", "election", "latch", "job",
         "rate"]
PATHS = ["mutex", "recursive", "retained", "multi-a", "multi-b", "commit", "put", "under", "shared", "semaphore",
         "election", "latch", "job", "rate"]
STANDSTILL = 20  # seconds without a new session although all servers run
STOOD_STILL = ("standstill", "of the servers' own")
SCHEMA = os.path.join(HERE, "..", "..", "src", "sql", "schema")


class Kind:
    """`freed_at_once`: the locks of a killed process become free at once. `small_disk`: MiB of each server's private
    disk.
    """

    name = ""
    staged = ""  # the stage's name for these servers; empty: `name`
    servers = "one server"
    workers = 6
    calm = 4  # seconds without a disturbance at the end
    slow = 1.5  # timeout of a worker's second session, as a multiple of the first session's timeout
    tick = sync_limit = 0
    small_disk = 0
    disk_a_minute = 0  # MiB that the disk needs for each minute, because the server keeps what it writes
    roles, paths = ROLES + ["checked"], PATHS + ["checked"]
    guarded = False  # True: a guardian ends the session of a killed process
    stalls_disks = False  # True: the preloaded shim can stall the servers' disks
    freed_at_once = False
    ended_by_clients = False  # True: an expired session's znodes remain until another client acts

    def __init__(self, campaign):
        self.c = campaign
        self.stage = self.start_stage()
        self.observer = self.make_observer()

    def start_stage(self):
        return Stage(self.c.settings, self.c.folder, self.staged or self.name)

    def where(self, links):
        """Returns a worker's connect string, made from the addresses of its links."""
        raise NotImplementedError

    def prepare(self):
        """Runs before the first worker starts."""

    def end_standstill(self):
        """Ends a standstill, in which all servers run and no server executes requests."""

    def keep(self):
        """Called at the end: keeps the records that the judge reads."""

    def close(self):
        self.observer.close()


class ZooKeeper(Kind):
    name = "zookeeper"
    servers = "three ZooKeeper servers"
    workers = 10
    calm = 12
    tick, sync_limit = 200, 5
    guarded = stalls_disks = True
    roles, paths = ROLES + ["again"], PATHS + ["again"]
    nemeses = ZooKeeperNemeses

    def __init__(self, campaign):
        super().__init__(campaign)
        self.flock = Flock(campaign.settings, self.stage.servers, campaign.folder)
        self.lookout = Lookout(self.stage.servers, [f"/campaign/{path}" for path in self.paths], campaign.notes)

    def make_observer(self):
        return Observer(self.stage.servers)

    def where(self, links):
        return links

    def leader(self):
        for i, server in enumerate(self.stage.servers):
            if mode_of(server) == "leader":
                return i
        return None

    def gives_session(self):
        for server in self.stage.servers:
            try:
                Session(server).close()
                return True
            except RawError:
                pass
        return False

    def end_standstill(self):
        """A leader may stop committing although both other servers follow it (docs/why/campaign.md). Then this
        function does what an operator would do: it kills the leader and starts it again.
        """
        poll(self.gives_session, STANDSTILL)
        leader = self.leader()
        if leader is None or self.gives_session():
            return
        if self.c.counts[STOOD_STILL]:
            raise RuntimeError("the servers serve and carry out nothing, for a second time")
        told = four_letter_word(self.stage.servers[leader], "srvr").split()
        self.c.notes.write("standstill", server=leader, srvr="_".join(told))
        self.c.counts[STOOD_STILL] += 1
        print(f"the servers stood still: server {leader} led and committed nothing", flush=True)
        self.c.notes.write("server-kill", server=leader)
        self.stage.order(f"kill {leader}")
        self.stage.order(f"start {leader}")
        self.c.notes.write("server-start", server=leader)
        self.stage.order("wait")

    def keep(self):
        self.lookout.close()
        self.flock.close()
        for i, folder in enumerate(self.stage.folders):
            source = os.path.join(folder, "data", "version-2")
            target = os.path.join(self.c.folder, f"log-{i}")
            os.makedirs(target, exist_ok=True)
            for name in os.listdir(source) if os.path.isdir(source) else []:
                if name.startswith("log."):
                    shutil.copy(os.path.join(source, name), target)

    def close(self):
        pass


class SecuredZooKeeper(ZooKeeper):
    name = "zookeeper-tls"
    servers = "three ZooKeeper servers that accept TLS alone and demand client certificates, which are renewed"
    nemeses = SecuredNemeses

    def where(self, links):
        return f"zookeepers://{links}?" + self.stage.servers[0].partition("?")[2]


class Redis(Kind):
    name = "redis"
    guarded = True
    servers = "one Redis server, appendonly yes, appendfsync always"
    small_disk = 64
    disk_a_minute = 128  # the server keeps its whole log, because the judge reads it
    nemeses = ServerNemeses

    def make_observer(self):
        return observers.Redis(self.stage.servers[0])

    def where(self, links):
        return f"redis://{links}"

    def keep(self):
        source = os.path.join(self.stage.folders[0], "appendonlydir")
        if os.path.isdir(source):
            shutil.copytree(source, os.path.join(self.c.folder, "redis-log"))
        shutil.copy(os.path.join(self.stage.folders[0], "log"), os.path.join(self.c.folder, "server-0.log"))


class ReplicatedRedis(Redis):
    name = "redis-replicated"
    servers = "three Redis servers: two replicas, which lag, and take over"
    small_disk = 0
    nemeses = ReplicaNemeses

    def keep(self):
        for i, folder in enumerate(self.stage.folders):
            shutil.copy(os.path.join(folder, "log"), os.path.join(self.c.folder, f"server-{i}.log"))


class WatchedRedis(ReplicatedRedis):
    name = "redis-sentinel"
    servers = "three Redis servers, two of them replicas, which lag, and three sentinels"
    nemeses = SentinelNemeses
    roles, paths = ROLES, PATHS  # without the role `checked`, whose store needs a single address

    def where(self, links):
        return links


class AuditedServer(Kind):
    """A database whose triggers record the changes for the judge. `line`: an SQL expression that makes a line of one
    record.
    """

    line = ""
    ended_by_clients = True

    def prepare(self):
        for file in (os.path.join(SCHEMA, f"{self.name}.sql"), os.path.join(HERE, f"audit_{self.staged or self.name}.sql")):
            self.stage.order(f"sql 0 {file},/dev/null")

    def keep(self):
        self.ask(f"SELECT {self.line} FROM campaign_audit ORDER BY n", "audit")
        self.ask("SELECT data FROM campaign_entries ORDER BY n", "entries")
        shutil.copy(os.path.join(self.stage.folders[0], "log"), os.path.join(self.c.folder, "server-0.log"))

    def ask(self, query, name):
        file = os.path.join(self.c.folder, name)
        with open(file + ".sql", "w", encoding="utf-8") as out:
            out.write(query)
        self.stage.order(f"sql 0 {file}.sql,{file}")

    def quietly(self, query):
        """Executes a query. Returns True if the server executed it."""
        try:
            self.observer.ask(query)
            return True
        except (OSError, observers.Unanswered):
            self.observer.close()
            return False


class PostgreSQL(AuditedServer):
    name = "postgresql"
    guarded = True
    servers = "one PostgreSQL server"
    small_disk = 256
    disk_a_minute = 32  # otherwise the audit's table would fill the disk in longer runs
    nemeses = ServerNemeses
    line = "n, at, what, path, owner, number, deadline, encode(data, 'hex')"

    def make_observer(self):
        return observers.PostgreSQL(self.stage.servers[0])

    def where(self, links):
        return f"postgresql://postgres@{links}/postgres"

    def when_full(self):
        """Fills the disk in such a way that the next write of the log needs a new file."""
        self.quietly("SELECT pg_switch_wal()")


class MariaDB(AuditedServer):
    name = "mariadb"
    guarded = True
    servers = "one MariaDB server"
    small_disk = 256
    disk_a_minute = 32
    nemeses = MariaDBNemeses
    line = "CONCAT_WS('|', n, at, what, CONVERT(path USING utf8mb4), owner, number, deadline, HEX(data))"

    def make_observer(self):
        return observers.MariaDB(self.stage.servers[0])

    def where(self, links):
        return f"mysql://root@{links}/turnstile"

    def when_full(self):
        """Fills the free room in the tables' file with ever smaller pieces."""
        limit = time.monotonic() + 2
        for size in (1 << 18, 1 << 14, 1 << 12):
            while self.quietly(f"INSERT INTO campaign_filler (data) VALUES (REPEAT('x', {size}))"):
                if time.monotonic() > limit:
                    return

    def when_free(self):
        self.quietly("TRUNCATE TABLE campaign_filler")


class MySQL(MariaDB):
    """A MySQL server. TURNSTILE_TEST_MYSQL names the folder with its programs."""

    name = "mysql"
    servers = "one MySQL server"
    staged = "mariadb"
    small_disk = 512  # MiB; an empty server needs 95

    def start_stage(self):
        if not os.environ.get("TURNSTILE_TEST_MYSQL"):
            sys.exit("mysql: TURNSTILE_TEST_MYSQL has to name the folder of a MySQL server (scripts/servers --fetch)")
        return super().start_stage()


class SQLite(Kind):
    name = "sqlite"
    servers = "one SQLite file"
    slow = 10
    small_disk = 16
    disk_a_minute = 64  # the audit is a table in the file, which grows
    freed_at_once = True
    nemeses = FileNemeses

    def start_stage(self):
        disk = os.path.join(self.c.folder, "disk")
        os.makedirs(disk)
        if self.c.settings.small_disk:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.c.settings.small_disk}m", "tmpfs", disk], check=True)
        self.file = os.path.join(disk, "locks.db")
        return NoStage([disk], self.c.settings.links)

    def make_observer(self):
        return observers.SQLite(self.file)

    def where(self, links):
        return f"sqlite:{self.file}"

    def prepare(self):
        base = sqlite3.connect(self.file)
        base.execute("PRAGMA journal_mode = WAL")
        for file in (os.path.join(SCHEMA, "sqlite.sql"), os.path.join(HERE, "audit_sqlite.sql")):
            with open(file, encoding="utf-8") as text:
                base.executescript(text.read())
        base.close()

    def keep(self):
        base = sqlite3.connect(self.file)
        rows = base.execute("SELECT n, at, what, path, owner, number, deadline, hex(data) FROM campaign_audit ORDER BY n")
        with open(os.path.join(self.c.folder, "audit"), "w", encoding="utf-8") as out:
            out.writelines("|".join(map(str, row)) + "\n" for row in rows)
        with open(os.path.join(self.c.folder, "entries"), "w", encoding="utf-8") as out:
            out.writelines(row[0] + "\n" for row in base.execute("SELECT data FROM campaign_entries ORDER BY n"))
        base.close()

    def close(self):
        super().close()
        if self.c.settings.small_disk:
            subprocess.run(["umount", "-l", os.path.dirname(self.file)], check=False)


KINDS = {kind.name: kind for kind in (ZooKeeper, SecuredZooKeeper, Redis, ReplicatedRedis, WatchedRedis, PostgreSQL,
                                      MariaDB, MySQL, SQLite)}
