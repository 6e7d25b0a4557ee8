# SPDX-License-Identifier: Apache-2.0
"""Tests the judge's readers for servers other than ZooKeeper, with hand-made files of Redis and of a database's
triggers, and with workers' notes.
"""

import os
import struct
import tempfile
import unittest

import judge

S = 1_000_000_000
MS = 1_000_000
OFFSET = 1_700_000_000 * S  # wall clock minus the time since boot
PATH = "/campaign/mutex"


def micros(ms):
    """Converts milliseconds since boot into microseconds of the wall clock."""
    return (OFFSET + ms * MS) // 1000


def command(*words):
    words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


def script(*commands):
    return command("MULTI") + b"".join(commands) + command("EXEC")


def record(number, owner, data="worker-1", changed=None):
    numbers = (number, changed or number, number, 0, 0, owner)
    return struct.pack("<ddddddiiii", *numbers, 0, 0, 0, 1) + data.encode()


class Folder:
    def __init__(self, servers):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = self.temporary.name
        self.append("director.notes", f"0 clock offset={OFFSET}\n"
                    f"0 settings servers={servers} session=3000 slow=4500 freed=4500\n")

    def append(self, name, text):
        with open(os.path.join(self.path, name), "ab") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    def director(self, *lines):
        self.append("director.notes", "".join(in_nanoseconds(line) for line in lines))

    def worker(self, number, *lines, end=True):
        last = ["90000 end 0"] if end else []
        self.append(f"worker-{number}.1.notes",
                    "".join(in_nanoseconds(line) for line in ["1 begin 0 pid=1", *lines, *last]))

    def redis(self, *scripts):
        os.makedirs(os.path.join(self.path, "redis-log"), exist_ok=True)
        self.append("redis-log/appendonly.aof.1.incr.aof", command("SELECT", 0) + b"".join(scripts))

    def audit(self, *rows, entries=()):
        """Writes rows of the audit table: (ms, what, path, owner, number, deadline in microseconds, data)."""
        text = "".join(f"{n}|{micros(ms)}|{what}|{path}|{owner}|{number}|{deadline}|{data.encode().hex()}\n"
                       for n, (ms, what, path, owner, number, deadline, data) in enumerate(rows))
        self.append("audit", text)
        self.append("entries", "".join(f"{entry}\n" for entry in entries))


def in_nanoseconds(line):
    at, rest = line.split(" ", 1)
    return f"{int(float(at) * MS)} {rest}\n"


def call(at, number, path=PATH):
    return f"{at} call {number} role=mutex path={path} want=exclusive deadline={20_000 * MS}"


def granted(at, number, until, token, znode="-", path=PATH):
    return f"{at} granted {number} until={until * MS} tokens={path}:{token:#x} znode={znode}"


class RecordsTest(unittest.TestCase):
    def begin(self, servers):
        self.folder = Folder(servers)
        self.addCleanup(self.folder.temporary.cleanup)
        return self.folder

    def expect(self, *promises, contains=""):
        verdict = judge.judge(self.folder.path)
        self.assertEqual({name for name, _, _ in verdict.broken}, set(promises), verdict.broken)
        self.assertIn(contains, " ".join(sentence for _, sentence, _ in verdict.broken))
        return verdict

    # Tests for Redis

    def heard(self, ms, session=7):
        return command("ZADD", "{turnstile}:d", micros(ms + 3000), session)

    def create(self, ms, name, session=7, data="worker-1"):
        z = micros(ms)
        return script(command("HSET", "{turnstile}:n", f"{PATH}/{name}", record(z, session, data), "z", z),
                      command("SADD", "{turnstile}:c:" + PATH, name), self.heard(ms, session)), z

    def removal(self, ms, name, session=7):
        return script(command("HDEL", "{turnstile}:n", f"{PATH}/{name}"),
                      command("HSET", "{turnstile}:n", PATH, record(1, 0), "z", micros(ms)), self.heard(ms, session))

    def end(self, ms, *names, session=7):
        return script(command("ZREM", "{turnstile}:d", session),
                      *(command("HDEL", "{turnstile}:n", f"{PATH}/{name}") for name in names),
                      command("HSET", "{turnstile}:n", "z", micros(ms)))

    def test_redis_what_is_well(self):
        f = self.begin("redis")
        create, z = self.create(950, "_c_x-lock-0000000001")
        f.redis(self.heard(900), create, self.removal(1500, "_c_x-lock-0000000001"))
        f.worker(1, call(900, 1), granted(1000, 1, 4000, z), "1490 release 1")
        verdict = self.expect()
        self.assertEqual(verdict.numbers["znodes"], 1)
        self.assertGreater(verdict.looked["G2"], 0)

    def test_redis_a_token_of_no_znode(self):
        f = self.begin("redis")
        f.redis(self.heard(900))
        f.worker(1, call(900, 1), granted(1000, 1, 4000, micros(950)), "1490 release 1")
        self.expect("G6", contains="no znode")

    def test_redis_granted_with_another_ahead(self):
        f = self.begin("redis")
        first, _ = self.create(940, "_c_x-lock-0000000001", session=6)
        second, z = self.create(950, "_c_y-lock-0000000002")
        f.redis(self.heard(900), first, second, self.removal(1400, "_c_x-lock-0000000001", session=6),
                self.removal(1500, "_c_y-lock-0000000002"))
        f.worker(1, call(900, 1), granted(1000, 1, 4000, z), "1490 release 1")
        self.expect("G2", contains="1 ahead")

    def test_redis_a_session_that_ends_before_the_lease(self):
        f = self.begin("redis")
        create, z = self.create(950, "_c_x-lock-0000000001")
        f.redis(create, self.end(4000, "_c_x-lock-0000000001"))
        f.worker(1, call(900, 1), granted(1000, 1, 4500, z), "1490 release 1")
        self.expect("G1", contains="500 ms before valid_until")

    def test_redis_a_session_that_is_closed_may(self):
        f = self.begin("redis")
        create, z = self.create(950, "_c_x-lock-0000000001")
        f.redis(create, self.end(2000, "_c_x-lock-0000000001"))
        f.worker(1, call(900, 1), granted(1000, 1, 4500, z), "1490 release 1")
        self.expect()

    def test_redis_what_is_cut_off_in_the_middle_was_not_written(self):
        f = self.begin("redis")
        create, _ = self.create(950, "_c_x-lock-0000000001")
        f.redis(self.heard(900), create[:-20])
        self.assertEqual(self.expect().numbers["znodes"], 0)

    def test_redis_a_checked_write_that_is_not_there(self):
        f = self.begin("redis")
        create, z = self.create(950, "_c_x-lock-0000000001")
        f.redis(create, command("RPUSH", "{turnstile}:campaign-entries", "a"),
                self.removal(1500, "_c_x-lock-0000000001"))
        f.worker(1, call(900, 1), granted(1000, 1, 4000, z),
                 *self.checked(1100, 2, "a", "ok"), *self.checked(1200, 3, "b", "ok"), "1490 release 1")
        self.expect("commits", contains="told ok, and written 0 times")

    def checked(self, at, number, data, result):
        return (f"{at} commit {number} hold=1 data={data} deadline={20_000 * MS} store=entries",
                f"{at + 1} committed {number} result={result}")

    # Tests for databases

    def test_audit_what_is_well(self):
        f = self.begin("postgresql")
        z = micros(950)
        f.audit((950, "create", f"{PATH}/_c_x-lock-0000000001", 7, z, 0, "worker-1"),
                (1500, "delete", f"{PATH}/_c_x-lock-0000000001", 7, z, 0, ""), entries=["a"])
        f.worker(1, call(900, 1), granted(1000, 1, 4000, z), *self.checked(1100, 2, "a", "ok"),
                 *self.checked(1200, 3, "b", "refused"), "1490 release 1")
        self.assertEqual(self.expect().numbers["checked writes refused"], 1)

    def test_audit_a_removal_that_is_not_there(self):
        f = self.begin("mariadb")
        z = micros(950)
        f.audit((950, "create", f"{PATH}/_c_x-lock-0000000001", 7, z, 0, "worker-1"))
        f.worker(1, call(900, 1), granted(1000, 1, 4000, z), "1490 release 1")
        self.expect("G4", contains="a znode is left at the end")

    def test_audit_a_refused_write_that_is_there(self):
        f = self.begin("postgresql")
        z = micros(950)
        f.audit((950, "create", f"{PATH}/_c_x-lock-0000000001", 7, z, 0, "worker-1"),
                (1500, "delete", f"{PATH}/_c_x-lock-0000000001", 7, z, 0, ""), entries=["a"])
        f.worker(1, call(900, 1), granted(1000, 1, 4000, z), *self.checked(1100, 2, "a", "refused"), "1490 release 1")
        self.expect("commits", contains="told refused, and written 1 times")

    def test_audit_checked_writes_against_the_order_of_the_grants(self):
        f = self.begin("postgresql")
        one, two = micros(950), micros(1550)
        f.audit((950, "create", f"{PATH}/_c_x-lock-0000000001", 7, one, 0, "worker-1"),
                (1500, "delete", f"{PATH}/_c_x-lock-0000000001", 7, one, 0, ""),
                (1550, "create", f"{PATH}/_c_y-lock-0000000002", 8, two, 0, "worker-2"),
                (2500, "delete", f"{PATH}/_c_y-lock-0000000002", 8, two, 0, ""), entries=["b", "a"])
        f.worker(1, call(900, 1), granted(1000, 1, 4000, one), *self.checked(1100, 2, "a", "ok"), "1490 release 1")
        f.worker(2, call(900, 1), granted(1600, 1, 4000, two), *self.checked(1700, 2, "b", "ok"), "2490 release 1")
        self.expect("commits", contains="smaller than one before")

    def gone(self, at):
        """SQLite: another client ends a session of worker 1 before the session's deadline."""
        f = self.begin("sqlite")
        z = micros(950)
        f.audit((950, "create", f"{PATH}/_c_x-lock-0000000001", 7, z, 0, "worker-1"),
                (at, "delete", f"{PATH}/_c_x-lock-0000000001", 7, z, 0, ""),
                (at, "end", "", 7, 0, 4_000_000, ""))
        return z

    def test_audit_a_session_of_a_process_that_lives(self):
        z = self.gone(1300)
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, z), "1490 release 1")
        self.expect("G1", contains="as that of a dead process")

    def test_audit_a_session_of_a_process_that_died(self):
        z = self.gone(1300)
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, z), end=False)
        self.folder.director("1200 kill worker=worker-1 life=1 guarded=1")
        self.expect()

    def test_audit_a_session_that_was_given_up(self):
        z = self.gone(1300)
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, z), "1250 lost 1 by=token")
        self.expect()

    # Tests for late writes

    def overtaken(self, servers, tokens, *more):
        f = self.begin(servers)
        f.worker(1, call(900, 1), granted(1000, 1, 3000, tokens[0]), "1100 step 1 until=%d" % (3000 * MS),
                 "1200 write 1", "2500 write 1", "2600 lost 1 by=token")
        f.worker(2, call(900, 1), granted(2000, 1, 5000, tokens[1]), "2100 write 1", "3000 release 1", *more)

    def test_a_late_write_that_the_store_takes(self):
        self.overtaken("redis-replicated", (9, 5))
        self.expect("G6", "fence", contains="a late write of token (9, 0) is taken")

    def test_a_late_write_that_its_token_refuses(self):
        self.overtaken("redis-replicated", (5, 9))
        verdict = self.expect()
        self.assertEqual(verdict.numbers["late writes"], 1)
        self.assertEqual(verdict.numbers["writes that the store refused"], 1)
        self.assertEqual(verdict.numbers["double grants"], 1)
        self.assertEqual([name for name, _, _ in verdict.unkept], ["G1"])

    def test_a_forgotten_grant_that_reaches_its_program_late_overtakes_nobody(self):
        """Each case: begin of the late call, tokens of the late grant and of the other grant, and the verdicts."""
        for begun, tokens, told in ((900, (5, 9), ()), (2100, (5, 9), ("G6", "fence")), (900, (9, 5), ())):
            f = self.begin("redis-replicated")
            f.director("1500 server-kill server=0", "2000 promoted server=1 lag=0.5")
            f.worker(1, call(begun, 1), granted(2500, 1, 3500, tokens[0]), "2600 write 1", "2700 release 1")
            f.worker(2, call(950, 2), granted(2200, 2, 5000, tokens[1]), "2300 write 2", "2800 write 2",
                     "2900 release 2")
            self.expect(*told)

    def test_no_replica_was_promoted(self):
        self.overtaken("redis-sentinel", (5, 9))
        self.assertIn("no replica was promoted", judge.judge(self.folder.path).unplayed)

    def test_a_replica_was_promoted(self):
        self.overtaken("redis-sentinel", (5, 9))
        self.folder.director("1500 promoted server=2 lag=0.1")
        verdict = judge.judge(self.folder.path)
        self.assertEqual(verdict.unplayed, "")
        self.assertEqual(verdict.numbers["replicas promoted"], 1)

    def test_no_replica_was_to_be_promoted(self):
        self.overtaken("redis-sentinel", (5, 9))
        self.folder.director("1 settings servers=redis-sentinel session=3000 slow=4500 freed=4500 only=stop-holder")
        self.assertEqual(judge.judge(self.folder.path).unplayed, "")

    def test_where_there_is_no_replica(self):
        self.overtaken("redis", (5, 9))
        self.assertEqual(judge.judge(self.folder.path).unplayed, "")

    def test_two_valid_holds_where_they_are_excluded(self):
        self.overtaken("redis", (5, 9))
        self.expect("G1", contains="two valid holds")


if __name__ == "__main__":
    unittest.main()
