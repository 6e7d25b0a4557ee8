# SPDX-License-Identifier: Apache-2.0
"""The director's attacks on one server, on a file, or on a server with replicas. Meanwhile the holder or the first
waiter of a lock is stopped or cut off.
"""

import contextlib
import os
import sqlite3

from nemeses import Nemeses, worker_kinds, link_kinds
from observers import Unanswered

BALLAST = 1 << 20


class DiskNemeses(Nemeses):
    """A server's private disk, which an attack fills to the last byte."""

    def fill(self):
        self.c.notes.write("disk-full")
        with open(self.ballast(), "ab", buffering=0) as file:
            size = BALLAST
            while size:
                try:
                    file.write(bytes(size))
                except OSError:
                    size //= 2

    def free(self):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.ballast())
        self.c.notes.write("disk-free")

    def ballast(self):
        return os.path.join(self.c.stage.folders[0], "ballast")

    def span(self):
        """Returns the length of a disturbance: mostly short, sometimes about a session timeout or longer."""
        quick = self.c.settings.session / 1000
        if self.random.random() < 0.3:
            return self.random.uniform(0.7, 1.6) * quick
        return self.random.uniform(0.05, 0.7) * quick


class ServerNemeses(DiskNemeses):
    def __init__(self, campaign):
        super().__init__(campaign)
        self.kinds = worker_kinds(self) + link_kinds(self) + [
            ("server-stop", 4, self.stop_server),
            ("server-kill", 5, self.kill_server),
            ("server-restart", 2, self.restart_server),
            ("server-flap", 2, self.flap_server),
            ("lost-replies", 4, self.lose_replies),
        ]
        if campaign.settings.small_disk:
            self.kinds.append(("disk-full", 6, self.fill_disk))

    def stop_server(self):
        """Stops the server, sometimes for longer than a session timeout. Then all sessions have expired when the server
        resumes.
        """
        aim, whom, hurt = self.with_somebody_stopped()
        self.c.notes.write("server-stop", server=0)
        self.c.stage.order("pause 0")
        self.c.pause(self.span())
        self.c.stage.order("resume 0")
        self.c.notes.write("server-cont", server=0)
        self.c.pause(self.random.uniform(0, 1.0))
        self.finish(hurt, "server-stop", aim, whom)

    def kill_server(self):
        aim, whom, hurt = self.with_somebody_stopped()
        self.take_down("kill")
        self.c.pause(self.span())
        self.bring_up()
        self.c.pause(self.random.uniform(0, 1.0))
        self.finish(hurt, "server-kill", aim, whom)

    def restart_server(self):
        aim, whom, hurt = self.with_somebody_stopped()
        self.take_down("stop")
        self.bring_up()
        self.finish(hurt, "server-restart", aim, whom)

    def flap_server(self):
        """Kills the server again while the clients reconnect."""
        aim, whom, hurt = self.with_somebody_stopped()
        for _ in range(self.random.randint(2, 4)):
            self.take_down("kill")
            self.bring_up()
            self.c.pause(self.random.uniform(0, 0.3))
        self.finish(hurt, "server-flap", aim, whom)

    def lose_replies(self):
        """The server executes the victims' requests. It is killed before its replies arrive."""
        whom = self.some()
        if (aim := self.aim()) is None:
            return
        hurt = self.victims(aim, whom)
        for worker in hurt:
            self.c.stage.order(f"hole {worker.number - 1} to_client")
        self.c.pause(self.random.uniform(0, 0.3))
        self.take_down("kill")
        for worker in hurt:
            self.c.stage.order(f"cut {worker.number - 1}")
            self.c.stage.order(f"pass {worker.number - 1}")
        self.bring_up()
        self.done("lost-replies", aim, whom)

    def fill_disk(self):
        """Fills the server's disk. Some servers then exit, others refuse writes. In a third of the cases the server is
        killed as well.
        """
        aim, whom, hurt = self.with_somebody_stopped()
        self.fill()
        if hasattr(self.c.kind, "when_full") and self.random.random() < 0.5:
            self.c.kind.when_full()
        self.c.pause(self.span() / 2)
        killed = self.random.random() < 0.33
        if killed:
            self.take_down("kill")
        self.c.pause(self.span() / 2)
        self.free()
        ended = self.c.stage.ask("running 0") == "no"
        self.bring_up()
        if hasattr(self.c.kind, "when_free"):
            self.c.kind.when_free()
        kind = "disk-full" + ("+kill" if killed else "+end" if ended else "")
        self.finish(hurt, kind, aim, whom)

    def take_down(self, how):
        self.c.notes.write("server-kill", server=0)
        self.c.stage.order(f"{how} 0")

    def bring_up(self):
        self.c.stage.order("start 0")
        self.c.notes.write("server-start", server=0)
        self.c.wait_for_servers()


class MariaDBNemeses(ServerNemeses):
    """Attacks on a database server. Other users of the server are among the attackers. A session has two connections,
    and one of them sleeps in a statement.
    """

    def __init__(self, campaign):
        super().__init__(campaign)
        self.kinds += [
            ("statement-kill", 3, self.kill_statements),
            ("connection-kill", 3, self.kill_connections),
            ("row-lock", 3, self.lock_rows),
        ]

    def kill_statements(self):
        """Kills statements: sleeping sessions wake without an event, and transactions end in the middle."""
        aim, whom, hurt = self.with_somebody_stopped()
        for _ in range(self.random.randint(20, 200)):
            self.kill_some("KILL QUERY", 0.3)
        self.finish(hurt, "statement-kill", aim, whom)

    def kill_connections(self):
        """Kills one of a session's connections, or both."""
        aim, whom, hurt = self.with_somebody_stopped()
        for _ in range(self.random.randint(1, 4)):
            self.kill_some("KILL CONNECTION", self.random.choice([0.1, 0.5, 1.0]))
            self.c.pause(self.random.uniform(0, 0.3))
        self.finish(hurt, "connection-kill", aim, whom)

    def kill_some(self, how, part):
        for (number,) in self.answers("SELECT id FROM information_schema.processlist "
                                      "WHERE user = 'root' AND id <> CONNECTION_ID()"):
            if self.random.random() < part:
                self.answers(f"{how} {number.decode()}")

    def lock_rows(self):
        """Another program's transaction locks the sessions' rows, or the rows that lock paths."""
        aim, whom, hurt = self.with_somebody_stopped()
        table = self.random.choice(["turnstile_sessions", "turnstile_stripes"])
        self.answers("BEGIN")
        self.answers(f"SELECT COUNT(*) FROM {table} FOR UPDATE")
        self.c.notes.write("file-lock")
        self.c.pause(self.span())
        self.answers("ROLLBACK")
        self.c.notes.write("file-free")
        self.finish(hurt, "row-lock", aim, whom)

    def answers(self, query):
        try:
            return self.c.observer.ask(query)
        except Unanswered:  # the statement or the connection has ended meanwhile
            return []
        except OSError:
            self.c.observer.close()
            return []


class FileNemeses(DiskNemeses):
    """Attacks on the processes of one host and on their SQLite file."""

    def __init__(self, campaign):
        super().__init__(campaign)
        self.kinds = worker_kinds(self) + [
            ("file-lock", 4, self.lock_file),
            ("kill-several", 3, self.kill_several),
        ]
        if campaign.settings.small_disk:
            self.kinds.append(("disk-full", 6, self.fill_disk))

    def lock_file(self):
        """Another program's transaction takes the write lock."""
        aim, whom, hurt = self.with_somebody_stopped()
        base = sqlite3.connect(self.c.kind.file, timeout=10, isolation_level=None)
        with contextlib.suppress(sqlite3.OperationalError):  # a stopped process may have the write lock
            base.execute("BEGIN IMMEDIATE")
            self.c.notes.write("file-lock")
        self.c.pause(self.span())
        base.close()
        self.c.notes.write("file-free")
        self.finish(hurt, "file-lock", aim, whom)

    def kill_several(self):
        if (aim := self.aim()) is None:
            return
        hurt = {*self.victims(aim, ["holder", "waiter"]), self.random.choice(self.c.workers[:-1])}
        for worker in hurt:
            worker.kill(self.c.notes)
        self.done("kill-several", aim, ["holder", "waiter"])
        self.c.pause(self.random.uniform(0, 1.0))
        for worker in hurt:
            worker.start()

    def fill_disk(self):
        aim, whom, hurt = self.with_somebody_stopped()
        self.fill()
        killed = self.victims(aim, ["holder"]) if aim and self.random.random() < 0.33 else []
        self.c.pause(self.span() / 2)
        for worker in killed:
            worker.kill(self.c.notes)
        self.c.pause(self.span() / 2)
        self.free()
        for worker in killed:
            worker.start()
        self.finish([w for w in hurt if w not in killed], "disk-full" + ("+kill" if killed else ""), aim, whom)


class ReplicaNemeses(Nemeses):
    """Attacks in which a lagging replica takes over. The writes that only the old master has are lost."""

    def __init__(self, campaign):
        super().__init__(campaign)
        self.master = 0
        self.due = {"failover"}
        self.kinds = worker_kinds(self) + link_kinds(self) + [("failover", 14, self.fail_over)]

    def fail_over(self):
        """Often cuts the holder off at the same time. Then the holder receives no message until its lease has ended."""
        aim, whom, hurt = self.with_somebody_stopped()
        lag = self.some_lag()
        cut_off = self.cut_off_holder()
        old, new = self.master, self.random.choice([i for i in range(3) if i != self.master])
        paused = self.random.random() < 0.3
        self.c.stage.order(f"{'pause' if paused else 'kill'} {old}")
        self.c.pause(self.random.uniform(0, 0.5))
        self.c.stage.order(f"promote {new}")
        self.c.stage.order(f"redirect {new}")
        self.took_over(new, lag)
        self.c.pause(self.random.uniform(0, 1.0))
        if cut_off:
            self.c.pause(self.random.uniform(0, 1.0) * self.c.settings.session / 1000)
            self.c.stage.order(f"pass {cut_off.number - 1}")
        if paused:
            self.c.stage.order(f"kill {old}")
        self.c.stage.order(f"start {old}")
        kind = "failover" + ("+lag" if lag else "") + ("+hole" if cut_off else "")
        self.finish(hurt, kind, aim, whom, lag=round(lag, 2))
        self.c.wait_for_servers()

    def some_lag(self):
        """Returns the seconds for which the replicas receive no writes."""
        self.c.notes.write("server-kill", server=self.master)
        lag = self.random.choice([0.0, self.random.uniform(0.02, 0.3), self.random.uniform(0.3, 2.5)])
        if lag:
            self.c.stage.order(f"lag {self.master}")
            self.c.pause(lag)
        return lag

    def cut_off_holder(self):
        aim = self.aim(at_least=1) if self.random.random() < 0.5 else None
        if aim is None:
            return None
        self.c.stage.order(f"hole {aim.holder.number - 1} both")
        return aim.holder

    def took_over(self, new, lag):
        self.master = new
        self.c.observer.close()
        self.c.observer.address = self.c.stage.servers[new]
        self.c.notes.write("promoted", server=new, lag=round(lag, 2))


class SentinelNemeses(ReplicaNemeses):
    """Attacks in which the sentinels detect that the master has gone, and choose another master."""

    def __init__(self, campaign):
        super().__init__(campaign)
        self.kinds = worker_kinds(self) + [("failover", 14, self.fail_over)]

    def fail_over(self):
        aim, whom, hurt = self.with_somebody_stopped()
        lag = self.some_lag()
        old = self.master
        # A stopped holder receives no message while the servers grant the lock to other clients.
        holder = self.aim(at_least=1) if self.random.random() < 0.5 else None
        stopped = [holder.holder] if holder and holder.holder not in hurt else []
        for worker in stopped:
            worker.stop(self.c.notes)
        paused = self.random.random() < 0.3
        self.c.stage.order(f"{'pause' if paused else 'kill'} {old}")
        self.c.stage.order(f"replaced {old}")
        new = int(self.c.stage.ask("master"))
        self.took_over(new, lag)
        self.c.stage.order(f"follow {old}")
        if stopped:
            self.c.pause(self.random.uniform(0, 0.5))
        self.c.stage.order(f"{'resume' if paused else 'start'} {old}")
        kind = "failover" + ("+lag" if lag else "") + ("+pause" if paused else "")
        self.finish(hurt + stopped, kind, aim, whom, lag=round(lag, 2))
        self.c.wait_for_servers()
