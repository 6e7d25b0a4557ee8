# SPDX-License-Identifier: Apache-2.0
"""The director's attacks: on the holder of a lock, on the first waiter, and at the same time on the servers.

Each nemesis undoes its disturbance before it returns. A paused server resumes soon or is killed, and two such pauses
are seconds apart, because docs/why/lease.md assumes this about servers.
"""

import contextlib
import os
import re
import signal
import time

from crew import guardians
from raw_client import PERSISTENT_SEQUENTIAL, RawError, Session

AGAIN = "/campaign/again"  # path of the lock that a worker takes several times in a row


class Aim:
    """An aim: the holder and the first waiter of a path, as another client sees them on the servers."""

    def __init__(self, path, holder, waiter, timeout):
        self.path, self.holder, self.waiter, self.timeout = path, holder, waiter, timeout


def number_of(name):
    """Returns a contender's number in the queue, or None if the znode is no contender."""
    found = re.search(r"(?:-lock-|-latch-|__READ__|__WRIT__|-lease\d*-)(\d{10})$", name)
    return int(found.group(1)) if found else None


class Nemeses:
    """Chooses aims, and attacks workers and links. A subclass lists its `kinds` (name, weight, attack), and the kinds
    that a campaign on its servers must include. Required kinds come first, so that even the shortest campaign includes
    them.
    """

    def __init__(self, campaign):
        self.c = campaign
        self.random = campaign.random
        self.kinds = []
        self.due = set()  # names of the required attacks that have not happened yet

    def next(self):
        only = self.c.settings.only.split(",") if self.c.settings.only else []
        kinds = [k for k in self.kinds if not only or k[0] in only]
        names, weights, what = zip(*([k for k in kinds if k[0] in self.due] or kinds))
        chosen = self.random.choices(range(len(names)), weights)[0]
        self.due.discard(names[chosen])
        what[chosen]()
        return names[chosen]

    # Choosing an aim

    def look(self, path):
        names = [n for n in self.c.observer.children(path) if number_of(n) is not None]
        names.sort(key=number_of)
        found = []
        timeout = self.c.settings.session
        for name in names[:6]:
            data = self.c.observer.data(f"{path}/{name}")
            who = re.search(r"worker-(\d+)", data)
            if not who or int(who.group(1)) > len(self.c.workers):
                continue
            worker = self.c.workers[int(who.group(1)) - 1]
            if worker not in found:
                found.append(worker)
            if len(found) == 2:
                if said := re.search(r"timeout=(\d+)", data):
                    timeout = int(said.group(1))
                break
        if not found:
            return None
        return Aim(path, found[0], found[1] if len(found) > 1 else None, timeout / 1000)

    def aim(self, at_least=2):
        """Tries the paths in random order. Returns an aim on the first path with a holder and a waiter (with `at_least`
        1, also without a waiter), or None.
        """
        for _ in range(8):
            paths = self.c.settings.at.split(",") if self.c.settings.at else self.c.kind.paths[:]
            self.random.shuffle(paths)
            for path in paths:
                seen = self.look(f"/campaign/{path}")
                if seen and (at_least < 2 or seen.waiter):
                    return seen
            self.c.pause(0.05)
        return None

    def victims(self, aim, whom):
        return [w for w in (getattr(aim, who) for who in whom) if w is not None]

    def some(self):
        return self.random.choice([["holder"], ["waiter"], ["holder", "waiter"]])

    def around_session(self, timeout):
        return self.random.uniform(0.8, 1.5) * timeout

    def done(self, kind, aim, whom, **more):
        self.c.notes.write("nemesis", what=kind, path=aim.path if aim else "-",
                           whom="+".join(whom) if whom else "-", **more)
        self.c.counts[(kind, "+".join(whom) if whom else "servers")] += 1

    # Attacks on workers

    def stop(self, whom):
        """Stops a process for about the session timeout."""
        if (aim := self.aim()) is None:
            return
        hurt = self.victims(aim, whom)
        for worker in hurt:
            worker.stop(self.c.notes)
        pause = self.around_session(min(aim.timeout, 2 * self.c.settings.session / 1000))
        self.c.pause(pause)
        for worker in hurt:
            worker.go_on(self.c.notes)
        self.done("stop", aim, whom, seconds=round(pause, 2))

    def stop_shortly(self):
        whom = self.some()
        if (aim := self.aim()) is None:
            return
        hurt = self.victims(aim, whom)
        for worker in hurt:
            worker.stop(self.c.notes)
        self.c.pause(self.random.uniform(0.02, 0.6) * aim.timeout)
        for worker in hurt:
            worker.go_on(self.c.notes)
        self.done("stop-shortly", aim, whom)

    def kill_guardians(self):
        """Kills the guardians and a worker at the same time. The worker's sessions end by their timeout, unless a
        guardian ended them first.
        """
        hit = [pid for pid in guardians(self.c.settings.guardian) if self.random.random() < 0.5]
        self.c.notes.write("guardian-kill", count=len(hit))
        for pid in hit:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.done("guardian-kill", None, [], count=len(hit))
        self.kill()

    def kill(self):
        whom = self.some()
        if (aim := self.aim()) is None:
            return
        hurt = self.victims(aim, whom)
        for worker in hurt:
            worker.kill(self.c.notes)
        self.done("kill", aim, whom)
        self.c.pause(self.random.uniform(0, 1.5))
        for worker in hurt:
            worker.start()

    # Attacks on links

    def hole(self):
        whom = self.some()
        way = self.random.choice(["to_server", "to_client", "both"])
        if (aim := self.aim()) is None:
            return
        hurt = self.victims(aim, whom)
        for worker in hurt:
            self.c.stage.order(f"hole {worker.number - 1} {way}")
        self.c.pause(self.random.uniform(0.3, 1.5) * aim.timeout)
        for worker in hurt:
            self.c.stage.order(f"pass {worker.number - 1}")
        self.done("link-hole", aim, whom, way=way)

    def cut(self):
        whom = self.some()
        for _ in range(self.random.randint(1, 4)):
            if (aim := self.aim()) is None:
                return
            for worker in self.victims(aim, whom):
                self.c.stage.order(f"cut {worker.number - 1}")
            self.done("link-cut", aim, whom)
            self.c.pause(self.random.uniform(0, 0.3))

    def refuse(self):
        whom = self.some()
        if (aim := self.aim()) is None:
            return
        hurt = self.victims(aim, whom)
        for worker in hurt:
            self.c.stage.order(f"refuse {worker.number - 1}")
        self.c.pause(self.random.uniform(0.3, 1.5) * aim.timeout)
        for worker in hurt:
            self.c.stage.order(f"accept {worker.number - 1}")
        self.done("link-refused", aim, whom)

    # Attacks on workers while a server is attacked

    def with_somebody_stopped(self):
        """In half of the cases, stops a worker, so that it is stopped while a server is attacked."""
        whom = self.some()
        aim = self.aim()
        hurt = self.victims(aim, whom) if aim and self.random.random() < 0.5 else []
        for worker in hurt:
            worker.stop(self.c.notes)
        return aim, whom if aim else [], hurt

    def finish(self, hurt, kind, aim, whom, **more):
        for worker in hurt:
            worker.go_on(self.c.notes)
        self.done(kind + ("+stop" if hurt else ""), aim, whom if hurt else [], **more)

    def pause_until(self, when):
        self.c.pause(when - time.monotonic())


def worker_kinds(nemeses):
    return [
        ("stop-waiter", 8, lambda: nemeses.stop(["waiter"])),
        ("stop-holder", 4, lambda: nemeses.stop(["holder"])),
        ("stop-both", 3, lambda: nemeses.stop(["holder", "waiter"])),
        ("stop-shortly", 3, nemeses.stop_shortly),
        ("kill", 3, nemeses.kill),
    ] + ([("guardian-kill", 2, nemeses.kill_guardians)] if nemeses.c.settings.guardian else [])


def link_kinds(nemeses):
    return [
        ("link-hole", 4, nemeses.hole),
        ("link-cut", 3, nemeses.cut),
        ("link-refused", 2, nemeses.refuse),
    ]


class ZooKeeperNemeses(Nemeses):
    def __init__(self, campaign):
        super().__init__(campaign)
        self.kinds = worker_kinds(self) + link_kinds(self) + [
            ("server-stop", 3, self.stop_server),
            ("server-kill", 3, self.kill_server),
            ("disk-stall", 3, self.stall_disks),
            ("remake", 4, self.remake_folder),
        ]

    # Attacks on workers of ZooKeeper

    def stop(self, whom):
        """Stops a worker for about the session timeout. Often thousands of sessions expire at the same time, in a
        server whose log has stalled: the servers find all these sessions expired at once, and close them one by one.
        """
        aim = self.aim()
        if aim is None:
            return
        flock = self.random.random() < 0.8
        leader = self.c.kind.leader() if flock and self.random.random() < 0.7 else None
        # The idle sessions of flock.py must expire together with the victim's session. So the last messages of
        # the idle sessions must arrive within one tick, at a time that depends on the victim. The idle sessions have
        # the timeout of a quick session. If the victim has a slow session, with a longer timeout, the idle sessions
        # must send later than the victim, by the difference of the timeouts. Until its stop the victim sends a message
        # every few hundredths of a second.
        spread = self.c.settings.tick / 1000
        quick = self.c.settings.session / 1000
        words = aim.timeout - quick + self.random.uniform(-0.2, 0.05)
        if flock and words < 0:
            self.c.kind.flock.mark(spread, quick * 1.4)
            self.c.pause(-words)
            aim = self.aim_again(aim)
        hurt = self.victims(aim, whom)
        began = time.monotonic()
        for worker in hurt:
            worker.stop(self.c.notes)
        if flock and words >= 0:
            self.pause_until(began + words)
            self.c.kind.flock.mark(spread, quick * 1.4)
        pause = self.around_session(aim.timeout)
        if leader is not None:
            # The worker stops just before the servers expire its session, and resumes while they expire it.
            pause = aim.timeout + self.random.uniform(0.0, 0.6)
            self.pause_until(began + aim.timeout - self.random.uniform(0.6, 1.0))
            self.stall_log(leader)
        elif flock and self.random.random() < 0.5:
            pause = aim.timeout + self.random.uniform(0.0, 0.4)
        self.pause_until(began + pause)
        for worker in hurt:
            worker.go_on(self.c.notes)
        if leader is not None:
            # The log usually stalls for longer than the relay bound, the longest time that clients expect until the
            # leader learns of a message to a follower. So no client of a follower can be certain of its lease.
            self.c.pause(self.random.uniform(0.2, 3.0))
            self.flow_log(leader)
        kind = "stop" + ("+flock" if flock else "") + ("+log" if leader is not None else "")
        self.done(kind, aim, whom, seconds=round(pause, 2))

    def stall_log(self, server):
        self.c.notes.write("log-stall", server=server)
        self.c.stage.order(f"log-stall {server}")

    def flow_log(self, server):
        self.c.stage.order(f"log-flow {server}")
        self.c.notes.write("log-flow", server=server)

    def aim_again(self, aim):
        seen = self.look(aim.path)
        return seen if seen and seen.waiter else aim

    # Attacks on servers

    def some_server(self):
        """Returns the leader, or another server."""
        leader = self.c.kind.leader()
        if leader is None or self.random.random() < 0.4:
            return self.random.randrange(3), leader
        return leader, leader

    def stop_server(self):
        server, leader = self.some_server()
        aim, whom, hurt = self.with_somebody_stopped()
        self.c.notes.write("server-stop", server=server)
        self.c.stage.order(f"pause {server}")
        self.c.pause(self.random.uniform(0.1, 2.5))
        self.c.stage.order(f"resume {server}")
        self.c.notes.write("server-cont", server=server)
        self.c.pause(self.random.uniform(0, 1.0))
        self.finish(hurt, "leader-stop" if server == leader else "follower-stop", aim, whom)
        self.c.wait_for_servers()

    def kill_server(self):
        server, leader = self.some_server()
        aim, whom, hurt = self.with_somebody_stopped()
        self.c.notes.write("server-kill", server=server)
        self.c.stage.order(f"kill {server}")
        self.c.pause(self.random.uniform(0, 2.0))
        self.c.stage.order(f"start {server}")
        self.c.notes.write("server-start", server=server)
        self.c.pause(self.random.uniform(0, 1.0))
        self.finish(hurt, "leader-kill" if server == leader else "follower-kill", aim, whom)
        self.c.wait_for_servers()

    def remake_folder(self):
        """Deletes a lock's folder whenever it is empty, and makes it again with a few creates. So a sequence number
        occurs twice (docs/why/mutex.md, "Without a list").
        """
        times = 0
        with contextlib.suppress(RawError):  # the server ended by itself
            session = Session(self.random.choice(self.c.stage.servers))
            until = time.monotonic() + self.random.uniform(0.5, 3)
            while time.monotonic() < until:
                times += self.remake_once(session)
                time.sleep(self.random.uniform(0, 0.01))  # so that the next deletion comes at a random instant
            session.close()
        self.done("remake", None, [], times=times)

    def remake_once(self, session):
        try:
            session.delete(AGAIN)
            session.create(AGAIN)
            for _ in range(self.random.randint(0, 12)):
                session.delete(session.create(f"{AGAIN}/by-hand-", PERSISTENT_SEQUENTIAL))
            return True
        except RawError as why:  # the folder is not empty, or a worker has made it already
            if why.code == 0:
                raise
            return False

    def renew_certificates(self):
        """Replaces the certificates of the servers and the clients. A client uses the new ones after its link is cut,
        and a server after it is killed.
        """
        self.c.notes.write("renew")
        self.c.stage.order("renew 0")
        for worker in self.c.workers:
            if self.random.random() < 0.5:
                self.c.stage.order(f"cut {worker.number - 1}")
        self.done("renew", None, [])
        self.kill_server()

    def stall_disks(self):
        leader = self.c.kind.leader()
        which = self.random.choice([[leader], [0, 1, 2], [self.random.randrange(3)]])
        if None in which:
            return
        aim = self.aim()
        whom = self.some()
        hurt = self.victims(aim, whom) if aim else []
        self.c.notes.write("disk-stall")
        for server in which:
            self.c.stage.order(f"disk-stall {server}")
        cut = self.random.random() < 0.6
        if cut:
            for worker in hurt:
                self.c.stage.order(f"cut {worker.number - 1}")
        self.c.pause(self.random.uniform(0.1, 2.5))
        for server in which:
            self.c.stage.order(f"disk-flow {server}")
        self.c.notes.write("disk-flow")
        self.done("disk-stall" + ("+cut" if cut else ""), aim, whom if cut else [],
                  servers=len(which))


class SecuredNemeses(ZooKeeperNemeses):
    def __init__(self, campaign):
        super().__init__(campaign)
        self.kinds.append(("renew", 3, self.renew_certificates))
        self.due.add("renew")
