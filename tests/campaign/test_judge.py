# SPDX-License-Identifier: Apache-2.0
"""Tests the judge with hand-made histories. Each breaks one promise, except one history that breaks none."""

import os
import struct
import tempfile
import unittest

import claims
import diverged
import judge
import records

S = 1_000_000_000
MS = 1_000_000
PATH = "/campaign/mutex"
OTHER = "/campaign/other"
OFFSET = 1_700_000_000 * S  # wall clock minus the time since boot


def jute(value):
    data = value.encode()
    return struct.pack(">i", len(data)) + data


class Folder:
    """Writes the files of a hand-made campaign. Times are milliseconds since boot."""

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = self.temporary.name
        self.zxid = 0x100
        self.log = []  # records of the transaction log
        self.numbers = 0
        self.forget_at = None  # the servers skip one transaction number at this point
        self.director("0 clock offset=%d" % OFFSET, "0 settings session=3000 slow=4500 freed=4900")

    def director(self, *lines):
        self.notes("director.notes", *lines)

    def notes(self, name, *lines):
        with open(os.path.join(self.path, name), "a", encoding="utf-8") as file:
            for line in lines:
                at, rest = line.split(" ", 1)
                file.write(f"{int(float(at) * MS)} {rest}\n")

    def worker(self, number, *lines, life=1, end=True):
        name = f"worker-{number}.{life}.notes"
        self.notes(name, "1 begin 0 pid=1", *lines)
        if end:
            self.notes(name, "90000 end 0")

    def transaction(self, at, session, kind, body, zxid=None, request=1):
        forgotten = self.forget_at is not None and at >= self.forget_at
        if forgotten:
            self.forget_at = None
        self.zxid = zxid or self.zxid + 1 + forgotten
        head = struct.pack(">qiqqi", session, request, self.zxid, at + OFFSET // MS, kind)
        record = head + body
        self.log.append(struct.pack(">qi", 0, len(record)) + record + b"B")
        return self.zxid

    def create(self, at, session, path, data="worker-1"):
        return self.transaction(at, session, 15, self.created(path, data))

    def create_all(self, at, session, paths):
        """Creates all paths in one transaction."""
        parts = [self.created(path, "worker-1") for path in paths]
        body = b"".join(struct.pack(">ii", 15, len(part)) + part for part in parts)
        return self.transaction(at, session, 14, struct.pack(">i", len(parts)) + body)

    @staticmethod
    def created(path, data, owned=True):
        acl = struct.pack(">ii", 1, 31) + jute("world") + jute("anyone")
        return jute(path) + jute(data) + acl + bytes([owned]) + bytes(4)

    def make(self, at, path, data):
        """Creates a znode that no session owns."""
        return self.transaction(at, 1, 15, self.created(path, data, owned=False))

    def delete(self, at, session, path):
        return self.transaction(at, session, 2, jute(path))

    def set(self, at, path, data):
        return self.transaction(at, 1, 5, jute(path) + jute(data) + bytes(4))

    def expire(self, at, session):
        return self.transaction(at, session, -11, b"", request=0)

    def contend(self, at, gone, session=1, path=PATH, marker="lock-", expires=False):
        """Creates a contender's znode at the time `at` and removes it at the time `gone`. Returns (path, token)."""
        name = f"{path}/_c_x-{marker}{self.numbers:010d}"
        self.numbers += 1
        return name, at, gone, session, expires

    def serve(self, *contenders):
        """Writes the transactions of some contenders in the order of their times. Returns the contenders' tokens."""
        steps = []
        for i, (name, at, gone, session, expires) in enumerate(contenders):
            steps.append((at, 0, i, name, session))
            if gone is not None:
                steps.append((gone, 2 if expires else 1, i, name, session))
        tokens = [None] * len(contenders)
        for at, what, i, name, session in sorted(steps):
            if what == 0:
                tokens[i] = self.create(at, session, name)
            elif what == 1:
                self.delete(at, session, name)
            else:
                self.expire(at, session)
        return [f"{token:#x}" for token in tokens]

    def judge(self, with_log=True):
        if with_log:
            self.write_log("log-0")
        return judge.judge(self.path)

    def write_log(self, name):
        os.makedirs(os.path.join(self.path, name), exist_ok=True)
        with open(os.path.join(self.path, name, "log.100"), "wb") as file:
            file.write(b"ZKLG" + struct.pack(">iq", 2, 0) + b"".join(self.log))


def call(at, number, want="exclusive", path=PATH, deadline=20_000, more=""):
    return f"{at} call {number} role=mutex path={path} want={want} deadline={deadline * MS}{more}"


def granted(at, number, until, token, znode="-", path=PATH):
    return f"{at} granted {number} until={until * MS} tokens={path}:{token} znode={znode}"


class JudgeTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.temporary.cleanup)

    def expect(self, promise, *, contains="", with_log=True):
        verdict = self.folder.judge(with_log)
        found = {name for name, _, _ in verdict.broken}
        self.assertEqual(found, {promise} if promise else set(), verdict.broken)
        if promise:
            sentences = " ".join(sentence for _, sentence, _ in verdict.broken)
            self.assertIn(contains, sentences)
            self.assertTrue(all(lines for _, _, lines in verdict.broken))
        return verdict

    def two_turns(self, first_end, second_at, want=("exclusive", "exclusive"), tokens=("0x1", "0x2"),
                  more=""):
        """Writes two workers' holds, without any record of the servers."""
        for worker, at, end, kind, token in ((1, 1000, first_end, want[0], tokens[0]),
                                             (2, second_at, second_at + 500, want[1], tokens[1])):
            self.folder.worker(worker, call(900, 1, kind, more=more),
                               granted(at, 1, at + 3000, token), f"{end} release 1")

    def test_what_is_well(self):
        f = self.folder
        a, b = f.contend(950, 1500, session=1), f.contend(960, 2500, session=2)
        one, two = f.serve(a, b)
        f.worker(1, call(900, 1), granted(1000, 1, 4000, one, a[0]), f"1490 release 1 deadline={20000 * MS}",
                 "1510 released 1 result=ok")
        f.worker(2, call(900, 1), granted(1502, 1, 4500, two, b[0]), "2490 release 1")
        verdict = self.expect(None)
        self.assertGreater(verdict.looked["G1"], 0)
        self.assertGreater(verdict.looked["G2"], 0)

    def test_two_valid_holds(self):
        self.two_turns(first_end=2000, second_at=1900)
        self.expect("G1", contains="two valid holds", with_log=False)

    def test_a_hold_that_nobody_released_counts_until_its_valid_until(self):
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, "0x1"), end=False)
        self.folder.director("1100 kill worker=worker-1 life=1")
        self.folder.worker(2, call(900, 1), granted(3900, 1, 7000, "0x2"), "4100 release 1")
        self.expect("G1", with_log=False)

    def test_a_hold_of_a_process_with_a_guardian_ends_with_it(self):
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, "0x1"), end=False)
        self.folder.director("1100 kill worker=worker-1 life=1 guarded=1")
        self.folder.worker(2, call(900, 1), granted(1120, 1, 7000, "0x2"), "4100 release 1")
        self.expect(None, with_log=False)

    def test_it_does_not_end_before_what_the_process_did(self):
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, "0x1"), "1200 step 1 until=4000", end=False)
        self.folder.director("1100 kill worker=worker-1 life=1 guarded=1")
        self.folder.worker(2, call(900, 1), granted(1120, 1, 7000, "0x2"), "4100 release 1")
        self.expect("G1", with_log=False)

    def test_a_hold_ends_when_its_loss_is_told(self):
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, "0x1"), "1800 lost 1 by=token")
        self.folder.worker(2, call(900, 1), granted(1900, 1, 5000, "0x2"), "2500 release 1")
        self.expect(None, with_log=False)

    def test_a_reader_beside_a_writer(self):
        self.two_turns(first_end=2000, second_at=1900, want=("writer", "reader"))
        self.expect("G1", with_log=False)

    def test_readers_together(self):
        self.two_turns(first_end=2000, second_at=1900, want=("reader", "reader"), tokens=("0x2", "0x1"))
        self.expect(None, with_log=False)

    def test_an_upgrade_beside_a_reader(self):
        self.folder.worker(
            1, call(900, 1, "upgradable"), granted(1000, 1, 4000, "0x1"),
            f"1100 convert 1 to=writer deadline={9000 * MS}",
            f"1200 converted 1 to=writer until={4000 * MS} tokens={PATH}:0x3 result=ok",
            "2000 release 1")
        self.folder.worker(2, call(900, 1, "reader"), granted(1050, 1, 4000, "0x2"), "1900 release 1")
        self.expect("G1", with_log=False)

    def test_a_downgrade_counts_from_its_call(self):
        self.folder.worker(
            1, call(900, 1, "writer"), granted(1000, 1, 4000, "0x1"),
            f"1100 convert 1 to=reader deadline={9000 * MS}",
            f"1200 converted 1 to=reader until={4000 * MS} tokens={PATH}:0x1+1 result=ok",
            "2000 release 1")
        self.folder.worker(2, call(900, 1, "reader"), granted(1150, 1, 4000, "0x2"), "1900 release 1")
        self.expect(None, with_log=False)

    def test_too_many_permits(self):
        self.two_turns(first_end=2000, second_at=1900, want=("lease", "lease"),
                       more=" permits=3 limit=4")
        self.expect("G1", contains="6 permits of 4", with_log=False)

    def test_a_session_that_is_over_before_valid_until(self):
        a = self.folder.contend(950, 2000, expires=True)
        (token,) = self.folder.serve(a)
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, token, a[0]), "2900 lost 1 by=token")
        self.expect("G1", contains="session expire 2000 ms before")

    def test_such_a_session_of_a_dead_process_with_a_guardian(self):
        self.die_before_the_expiry("guarded=1")
        self.expect(None)

    def test_such_a_session_of_a_dead_process_without_a_guardian(self):
        self.die_before_the_expiry("guarded=0")
        self.expect("G1", contains="session expire")

    def die_before_the_expiry(self, how):
        a = self.folder.contend(950, 2000, expires=True)
        (token,) = self.folder.serve(a)
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, token, a[0]), end=False)
        self.folder.director(f"1100 kill worker=worker-1 life=1 {how}")

    def test_such_a_session_of_a_hold_that_had_been_released(self):
        a = self.folder.contend(950, 2000, expires=True)
        (token,) = self.folder.serve(a)
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, token, a[0]), "1900 release 1")
        self.expect("G1", contains="session expire")

    def test_a_session_that_is_over_when_it_may_be(self):
        a = self.folder.contend(950, 4000, expires=True)
        (token,) = self.folder.serve(a)
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, token, a[0]), "1900 release 1")
        self.expect(None)

    def test_what_an_operator_takes_by_force_is_excused(self):
        f = self.folder
        a, b = f.contend(950, 1500), f.contend(960, 2500, session=2)
        one, two = f.serve(a, b)
        f.worker(1, call(900, 1), granted(1000, 1, 4000, one, a[0]), "1700 lost 1 by=token")
        f.worker(2, call(900, 1), granted(1510, 1, 4500, two, b[0]), "2490 release 1")
        f.worker(3, f"1495 order 1 what=take_now znode={a[0]}")
        self.expect(None)

    def take(self, *looks):
        f = self.folder
        a, b = f.contend(950, 1500), f.contend(960, 2500, session=2)
        one, two = f.serve(a, b)
        f.worker(1, call(900, 1), granted(1000, 1, 4000, one, a[0]), *looks, "1700 lost 1 by=token")
        f.worker(2, call(900, 1), granted(1510, 1, 4500, two, b[0]), "2490 release 1")
        f.worker(3, f"1400 order 1 what=take znode={a[0]}", "1600 ordered 1 result=ok")

    def test_who_is_told_to_go_may_hear_of_it_late(self):
        self.take(f"1300 step 1 until={4000 * MS}")
        self.expect(None)

    def test_who_is_told_to_go_may_not_be_valid_beside_the_next(self):
        self.take(f"1520 step 1 until={4000 * MS}")
        self.expect("G1")

    def test_what_is_taken_from_somebody_else_excuses_nothing(self):
        a, b = "/campaign/mutex/_c_x-lock-0000000001", "/campaign/mutex/_c_x-lock-0000000002"
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, "0x1", a), "1700 lost 1 by=token")
        self.folder.worker(2, call(900, 1), granted(1510, 1, 4500, "0x2", b), "2490 release 1")
        self.folder.worker(3, f"1400 order 1 what=take znode={b}", "1800 ordered 1 result=ok")
        self.expect("G1", with_log=False)

    def test_somebody_ahead_is_passed(self):
        f = self.folder
        a, b = f.contend(950, 3500), f.contend(960, 2500, session=2)
        _, two = f.serve(a, b)
        f.worker(2, call(900, 1), granted(1500, 1, 4500, two, b[0]), "2490 release 1")
        self.expect("G2")

    def test_a_create_whose_number_the_folder_gives_again_was_dropped(self):
        f = self.folder
        a = f.contend(950, None)
        f.numbers -= 1
        b, c = f.contend(960, 1400, session=2), f.contend(970, 2500, session=3)
        b = (b[0].replace("_c_x", "_c_y"), *b[1:])
        _, _, three = f.serve(a, b, c)
        f.worker(3, call(900, 1), granted(1500, 1, 4500, three, c[0]), "2490 release 1")
        verdict = self.expect(None)
        self.assertEqual(["the servers dropped 0x101, which a majority had logged: the create of " + a[0]], verdict.faults())

    def test_a_conversion_keeps_its_number(self):
        f = self.folder
        a = f.contend(950, 3500, marker="__WRIT__")
        f.numbers -= 1
        b, c = f.contend(960, 3500, marker="__UPGR__"), f.contend(970, 2500, session=3)
        _, _, three = f.serve(a, b, c)
        f.worker(3, call(900, 1), granted(1500, 1, 4500, three, c[0]), "2490 release 1")
        self.expect("G2", contains="1 ahead")

    def test_a_folder_that_is_made_again_gives_its_numbers_again(self):
        f = self.folder
        a = f.contend(950, 3500)
        f.numbers -= 1
        b, c = f.contend(2000, 2100, session=2), f.contend(970, 2500, session=3)
        b = (b[0].replace("_c_x", "_c_y"), *b[1:])
        three = f.serve(a, c)[1]
        f.make(1900, PATH, "")
        f.serve(b)
        f.worker(3, call(900, 1), granted(1500, 1, 4500, three, c[0]), "2490 release 1")
        self.expect("G2")

    def test_a_reader_passes_a_reader_and_not_a_writer(self):
        f = self.folder
        a = f.contend(950, 3500, marker="__READ__")
        b = f.contend(960, 2500, session=2, marker="__READ__")
        c = f.contend(970, 2600, session=3, marker="__WRIT__")
        d = f.contend(980, 2500, session=4, marker="__READ__")
        tokens = f.serve(a, b, c, d)
        f.worker(2, call(900, 1, "reader"), granted(1500, 1, 4500, tokens[1], b[0]), "2400 release 1")
        self.expect(None)
        f.worker(4, call(900, 1, "reader"), granted(1500, 1, 4500, tokens[3], d[0]), "2400 release 1")
        self.expect("G2")

    def test_a_lease_that_does_not_fit(self):
        f = self.folder
        a, b = f.contend(950, 3500, marker="lease3-"), f.contend(960, 2500, marker="lease2-")
        _, two = f.serve(a, b)
        f.worker(2, call(900, 1, "lease", more=" permits=2 limit=4"),
                 granted(1500, 1, 4500, two, b[0]), "2490 release 1")
        self.expect("G2")

    def test_a_znode_is_left(self):
        a = self.folder.contend(950, None)
        (token,) = self.folder.serve(a)
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, token, a[0]), "2000 release 1")
        self.expect("G4", contains="left at the end")

    def test_the_director_sees_what_is_left(self):
        self.folder.director("90000 left path=/campaign/mutex name=_c_x-lock-0000000001")
        self.expect("G4")

    def test_a_dead_process_keeps_its_place(self):
        a = self.folder.contend(950, 40_000, expires=True)
        (token,) = self.folder.serve(a)
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, token, a[0]), end=False)
        self.folder.director("1500 kill worker=worker-1 life=1")
        self.expect("G4", contains="outlived")

    def test_a_loss_that_nobody_tells(self):
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, "0x1"))
        self.expect("G5", with_log=False)

    def test_a_stopped_process_is_told_later(self):
        self.folder.director("1500 stop worker=worker-1 life=1", "60000 cont worker=worker-1 life=1")
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, "0x1"), "60100 lost 1 by=token")
        self.expect(None, with_log=False)

    def test_a_release_that_comes_too_late_tells_it(self):
        self.folder.director("1500 stop worker=worker-1 life=1", "4500 cont worker=worker-1 life=1",
                             "60000 kill worker=worker-1 life=1")
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, "0x1"), "4600 release 1",
                           call(59_000, 2, deadline=70_000), end=False)
        self.expect(None, with_log=False)

    def test_a_token_that_does_not_grow(self):
        self.two_turns(first_end=1500, second_at=1900, tokens=("0x2", "0x1+7"))
        self.expect("G6", with_log=False)

    def judge_tokens(self, verdict):
        campaign = records.Campaign(self.folder.path)
        claims.judge_tokens(PATH, campaign.holds, {}, claims.failovers(campaign), verdict)

    def test_a_grant_of_the_old_master_that_reaches_its_program_late(self):
        """Each case: begin of the late call, time of the other grant, time of the late grant, and the verdict."""
        for begun, other, late, found in ((900, 2200, 2900, "G1"), (2100, 2200, 2900, "G6"), (900, 1400, 2900, "G6"),
                                          (900, 2200, 5100, "G6")):
            self.folder = Folder()
            self.folder.director("1500 server-kill server=0", "2000 promoted server=1 lag=0.5")
            self.folder.worker(1, call(begun, 1), granted(late, 1, 9000, "0x1"), f"{late + 100} release 1")
            self.folder.worker(2, call(950, 2), granted(other, 2, 9000, "0x2"), f"{other + 100} release 2")
            verdict = judge.Verdict(not_promised=("G1", "G5"))
            self.judge_tokens(verdict)
            self.assertEqual([promise for promise, _, _ in verdict.broken + verdict.unkept], [found])
            verdict = judge.Verdict()
            self.judge_tokens(verdict)
            self.assertEqual([promise for promise, _, _ in verdict.broken], ["G6"])

    def test_a_token_that_is_handed_on_by_who_was_forgotten(self):
        self.folder.worker(1, call(900, 1), granted(1000, 1, 9000, "0x1"), "5000 release 1",
                           call(4000, 3), granted(5100, 3, 9000, "0x1+1"), "5900 release 3")
        self.folder.worker(2, call(1400, 2), granted(1500, 2, 2000, "0x2"), "1900 release 2")
        for not_promised, told in ((("G1", "G5"), ([], ["G1"])), ((), (["G6"], []))):
            verdict = judge.Verdict(not_promised=not_promised)
            self.judge_tokens(verdict)
            found = tuple([promise for promise, _, _ in some] for some in (verdict.broken, verdict.unkept))
            self.assertEqual(found, told)

    def test_tokens_of_two_masters_have_no_order_while_both_grant(self):
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, "0x2"), "3000 release 1")
        self.folder.worker(2, call(1400, 2), granted(1500, 2, 4000, "0x1"), "1900 release 2", call(3100, 3),
                           granted(3200, 3, 4000, "0x1"), "3300 release 3")
        for not_promised, told in ((("G1", claims.ORDER), (["G6"], [claims.ORDER])), (("G1",), (["G6", "G6"], []))):
            verdict = judge.Verdict(not_promised=not_promised)
            self.judge_tokens(verdict)
            found = tuple([promise for promise, _, _ in some] for some in (verdict.broken, verdict.unkept))
            self.assertEqual(found, told)

    def test_a_token_of_nobody(self):
        a = self.folder.contend(950, 2000)
        self.folder.serve(a)
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, "0x77", a[0]), "1900 release 1")
        self.expect("G6", contains="no znode")

    def test_the_znodes_of_one_transaction_are_found_in_their_folders(self):
        paths = ("/campaign/multi-a", "/campaign/multi-b")
        names = [f"{path}/_c_x-lock-0000000000" for path in paths] + [f"{paths[0]}/_probe-x"]
        token = f"{self.folder.create_all(950, 1, names):#x}"
        tokens = f"{paths[0]}:{token},{paths[1]}:{token}"
        self.folder.worker(1, call(900, 1, path=",".join(paths)),
                           f"1000 granted 1 until={4000 * MS} tokens={tokens} znode=-", "1900 release 1")
        for at, name in enumerate(names):
            self.folder.delete(1910 + at, 1, name)
        self.expect(None)

    def test_a_call_that_returns_late(self):
        self.folder.worker(1, call(900, 1, deadline=2000), "30000 failed 1 why=1:timeout")
        self.expect("G7", with_log=False)

    def test_a_call_that_never_returns(self):
        self.folder.worker(1, call(900, 1))
        self.expect("G7", contains="never returned", with_log=False)

    def test_a_release_that_never_returns(self):
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, "0x1"),
                           f"1500 release 1 deadline={9000 * MS}")
        self.expect("G7", contains="release", with_log=False)

    def test_a_process_that_does_not_end(self):
        self.folder.director("90000 hangs worker=worker-1 life=1")
        self.expect("G7", with_log=False)

    def test_nobody_is_granted_once_all_is_healed(self):
        self.two_turns(first_end=1500, second_at=1900)
        self.folder.director("5000 calm")
        self.expect("G7", contains="nobody is granted", with_log=False)

    def shows(self, server, at, zxid, *names):
        shown = ",".join(diverged.short(name.rsplit("/", 1)[1]) for name in names) or "-"
        self.folder.director(f"{at} lists server={server} path={PATH} zxid={zxid:#x} names={shown}")

    def waits_behind(self, gone):
        """After the end of all disturbances the servers grant the lock to no contender."""
        a, b = self.folder.contend(950, gone), self.folder.contend(960, 80_000, session=2)
        token, _ = self.folder.serve(a, b)
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, token, a[0]), "1400 release 1")
        self.folder.director("5000 calm")
        return a[0], b[0]

    def test_a_wait_behind_what_only_one_server_shows(self):
        a, b = self.waits_behind(1500)
        self.shows(0, 6000, 0x103, a, b)
        self.shows(1, 6000, 0x103, b)
        verdict = self.expect(None)
        (promise, sentence, lines), = verdict.of_servers
        self.assertEqual(promise, "G7")
        self.assertIn("server 0 lists the removed", sentence)
        self.assertEqual(len(lines), 3)

    def test_a_server_that_is_behind_shows_no_phantom(self):
        a, b = self.waits_behind(1500)
        self.shows(0, 6000, 0x102, a, b)  # the server's tree ends before the removal
        self.expect("G7", contains="nobody is granted")

    def test_what_a_server_showed_earlier_is_no_excuse(self):
        a, b = self.waits_behind(1500)
        self.folder.director("60000 ending")
        self.shows(0, 6000, 0x103, a, b)
        self.expect("G7", contains="nobody is granted")

    def passes(self, *shown_at, zxid=0x102):
        """In the logs the second contender is granted while the first exists. One server shows only the second."""
        a, b = self.folder.contend(950, 9000, session=1), self.folder.contend(1960, 6000, session=2)
        _, token = self.folder.serve(a, b)
        self.folder.worker(2, call(1900, 1), granted(3500, 1, 6500, token, b[0]), "4000 release 1")
        for at in shown_at:
            self.shows(0, at, zxid, b[0])

    def test_a_contender_that_a_server_does_not_list(self):
        self.passes(3000, 5000)
        verdict = self.expect(None)
        self.assertIn("server 0 does not list", verdict.of_servers[0][1])

    def test_a_server_that_is_behind_misses_nothing(self):
        self.passes(3000, 5000, zxid=0x100)
        self.expect("G2")

    def test_a_contender_that_came_just_now_is_not_missing(self):
        self.passes(1500)
        self.expect("G2")

    def commit(self, result, written):
        a = self.folder.contend(950, 3000)
        token = f"{self.folder.create(950, 1, a[0]):#x}"
        for _ in range(written):
            self.folder.set(1150, "/campaign-counter", "d")
        self.folder.delete(3000, 1, a[0])
        told = [f"1200 committed 2 result={result}"] if result else []
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, token, a[0]),
                           f"1100 commit 2 hold=1 data=d deadline={9000 * MS}", *told,
                           "2000 release 1")

    def test_commits_that_are_as_they_were_told(self):
        self.commit("ok", 1)
        self.expect(None)

    def test_an_unknown_outcome_may_be_either(self):
        self.commit("unknown", 1)
        self.expect(None)

    def test_a_commit_that_was_told_and_not_written(self):
        self.commit("ok", 0)
        self.expect("commits")

    def test_a_commit_that_the_servers_lost(self):
        self.folder.forget_at = 1000
        self.commit("ok", 0)
        verdict = self.expect(None)
        self.assertEqual([promise for promise, _, _ in verdict.of_servers], ["commits"])

    def test_a_loss_of_another_time_excuses_nothing(self):
        self.folder.forget_at = 30_100
        self.commit("ok", 0)
        self.folder.set(30_000, "/other", "d")
        self.folder.set(30_200, "/other", "d")
        self.expect("commits")

    def test_two_valid_holds_are_never_the_servers(self):
        self.folder.forget_at = 1000
        a, b = self.folder.contend(950, 4000, session=1), self.folder.contend(960, 5000, session=2)
        first, second = self.folder.serve(a, b)
        self.folder.worker(1, call(900, 1), granted(1000, 1, 4000, first, a[0]), "3000 release 1")
        self.folder.worker(2, call(900, 1), granted(2000, 1, 5000, second, b[0]), "3000 release 1")
        verdict = self.folder.judge()
        self.assertIn("G1", {promise for promise, _, _ in verdict.broken})

    def test_what_another_server_has_is_not_lost(self):
        for at in (930, 940):
            self.folder.set(at, "/other", "d")
        self.commit("ok", 0)
        self.folder.write_log("log-1")
        del self.folder.log[1]
        self.expect("commits")

    def test_a_commit_that_was_refused_and_written(self):
        self.commit("refused:5:session_lost", 1)
        self.expect("commits")

    def test_a_commit_that_was_written_twice(self):
        self.commit("unknown", 2)
        self.expect("commits")

    def test_commits_against_the_order_of_their_tokens(self):
        f = self.folder
        a, b = f.contend(950, 1500), f.contend(960, 2500, session=2)
        one, two = f.serve(a, b)
        f.worker(1, call(900, 1), granted(1000, 1, 4000, one, a[0]),
                 f"1100 commit 2 hold=1 data=d deadline={9000 * MS}", "1200 committed 2 result=unknown",
                 "1400 release 1")
        f.worker(2, call(900, 1), granted(1510, 1, 4500, two, b[0]),
                 f"1600 commit 2 hold=1 data=e deadline={9000 * MS}", "1700 committed 2 result=ok",
                 "2400 release 1")
        f.set(2600, "/campaign-counter", "e")
        f.set(2700, "/campaign-counter", "d")
        self.expect("commits", contains="smaller")

    def put(self, at, hold, *, under="-", data="d", entries=1, result="ok", part="-", removes=0):
        """Returns a commit as two lines of a worker's notes."""
        return (f"{at} commit 9 hold={hold} under={under} data={data} entries={entries} deadline={9000 * MS} "
                f"store=shelf removes={removes}", f"{at + 10} committed 9 result={result} part={part}")

    def shelf(self, *writes):
        """Writes creations of znodes, writes to znodes and removals of znodes: tuples (ms, what, path, data)."""
        for at, what, path, data in writes:
            if what == "set":
                self.folder.set(at, path, data)
            elif what == "make":
                self.folder.make(at, path, data)
            else:
                self.folder.delete(at, 3, path)

    def two_locks(self, *writes, **told):
        """Worker 1 holds both locks and puts under both. Worker 2 gets the second lock after that, at 2000 ms.
        `writes`: the writes that the servers executed.
        """
        f = self.folder
        a = f.contend(910, 3000, path=PATH)
        b = f.contend(920, 2000, path=OTHER)
        c = f.contend(930, 4000, session=2, path=OTHER)
        contenders = {name: f.create(at, session, name) for name, at, _, session, _ in (a, b, c)}
        one, two, three = (f"{token:#x}" for token in contenders.values())
        early = [write for write in writes if write[0] < 2000]
        self.shelf(*early)
        f.delete(2000, 1, b[0])
        self.shelf(*writes[len(early):])
        f.delete(3000, 1, a[0])
        f.delete(4000, 2, c[0])
        f.worker(1, call(900, 1), granted(1000, 1, 4000, one, a[0]), call(900, 2, path=OTHER),
                 granted(1000, 2, 4000, two, b[0], path=OTHER), *self.put(1100, 1, under=2, **told),
                 "1990 release 2", "2990 release 1")
        f.worker(2, call(900, 1, path=OTHER), granted(2010, 1, 7000, three, c[0], path=OTHER),
                 *self.put(2100, 1, data="e"), "3990 release 1")

    MADE = (1101, "make", "/campaign-shelf", ""), (1102, "make", "/campaign-shelf/0", "")
    LATER = (2100, "make", "/campaign-shelf/0/entry", "e.0")

    def test_a_put_that_was_written_and_removed_again(self):
        self.two_locks(*self.MADE, (1103, "make", "/campaign-shelf/0/entry", "d.0"),
                       (1500, "delete", "/campaign-shelf/0/entry", ""), self.LATER)
        verdict = self.expect(None)
        self.assertEqual(verdict.numbers["puts ok under two holds"], 1)
        self.assertEqual(verdict.numbers["puts ok"], 1)

    def test_a_put_that_was_told_and_not_written(self):
        self.two_locks(*self.MADE, self.LATER)
        self.expect("commits", contains="told ok, and written 0 times")

    def test_a_put_that_was_refused_and_written(self):
        self.two_locks(*self.MADE, (1103, "make", "/campaign-shelf/0/entry", "d.0"), self.LATER,
                       result="refused:6:removed")
        self.expect("commits", contains="told refused, and written 1 times")

    def test_a_put_without_the_further_hold(self):
        self.two_locks(*self.MADE, (2050, "make", "/campaign-shelf/0/entry", "d.0"),
                       (2100, "set", "/campaign-shelf/0/entry", "e.0"), result="unknown")
        self.expect("commits", contains="when a znode that it was under had gone")

    def test_a_put_without_the_further_hold_behind_the_next_holder(self):
        self.two_locks(*self.MADE, self.LATER, (2200, "set", "/campaign-shelf/0/entry", "d.0"), result="unknown")
        self.expect("commits", contains="a token of /campaign/other that is smaller")

    def test_a_put_that_was_written_in_part(self):
        self.two_locks(*self.MADE, (1103, "make", "/campaign-shelf/0/entry", "d.0"), self.LATER, result="unknown",
                       entries=2)
        self.expect("commits", contains="written in part")

    def test_a_part_that_always_fits(self):
        self.two_locks(*self.MADE, self.LATER, result="refused:27:no_node", part="1")
        self.expect("commits", contains="part 1 is refused")

    def test_a_removal_may_be_refused(self):
        self.two_locks(*self.MADE, self.LATER, result="refused:29:not_empty", part="0", removes=1)
        verdict = self.expect(None)
        self.assertEqual(verdict.numbers["removals refused under two holds"], 1)

    def job(self, *starts, runs=(1, 2)):
        for i, at in enumerate(starts, 1):
            self.folder.set(at, "/campaign/job-record", f"state=running run={i} by=x")
        for worker, run in enumerate(runs, 1):
            self.folder.worker(worker, call(900, 1, more=f" period={700 * MS}"),
                               f"{2000 * worker} job 1 number={run}", f"{2000 * worker} ran 1 result=0")

    def test_jobs_that_are_due(self):
        self.job(1000, 1700)
        self.expect(None)

    def test_a_job_twice_in_a_period(self):
        self.job(1000, 1699)
        self.expect("jobs", contains="699 ms")

    def test_one_start_that_runs_twice(self):
        self.job(1000, 2000, runs=(2, 2))
        self.expect("jobs", contains="ran twice")

    def test_a_run_that_nobody_wrote_down(self):
        self.job(1000, 2000, runs=(1, 3))
        self.expect("jobs", contains="not written down")

    def rate(self, *times, told=None):
        for at in times:
            self.folder.set(at, "/campaign/rate-record", "entries=2")
        lines = []
        for i, at in enumerate(told or times, 1):
            lines += [call(at - 10, i, "entry", more=f" limit=2 period={1000 * MS}"), f"{at + 10} entry {i}"]
        self.folder.worker(1, *lines)

    def test_entries_within_the_limit(self):
        self.rate(1000, 1500, 2000)
        self.expect(None)

    def test_too_many_entries(self):
        self.rate(1000, 1500, 1999)
        self.expect("rates", contains="3 entries within 999 ms")

    def test_an_entry_that_nobody_wrote_down(self):
        self.rate(1000, 5000, told=(1000, 3000))
        self.expect("rates", contains="nobody wrote down")

    def test_a_log_that_was_written_twice_counts_once(self):
        self.commit("ok", 1)
        self.folder.log *= 2
        self.expect(None)

    def test_a_multi_that_failed_writes_nothing(self):
        self.commit("refused:6:removed", 0)
        failed = struct.pack(">ii", 2, -1) + struct.pack(">ii", 4, -101)
        failed += struct.pack(">i", -1) + struct.pack(">ii", 4, -2)
        self.folder.transaction(3100, 1, 14, failed)
        self.expect(None)


if __name__ == "__main__":
    unittest.main()
