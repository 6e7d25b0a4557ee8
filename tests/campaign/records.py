# SPDX-License-Identifier: Apache-2.0
"""Reads the notes of the workers and the director into holds and calls."""

import bisect
import os
import re

# Ranks the kinds of holds of a shared_mutex: a higher rank excludes more.
RANK = {"reader": 0, "upgradable": 1, "writer": 2}
# Kinds of notes with which a worker reports that a call has ended.
ENDS = {"granted", "failed", "entered", "ran", "entry", "awaited"}


class Line:
    """The file, line number and text of a note, for a verdict."""

    __slots__ = ("file", "number", "text")

    def __init__(self, file, number, text):
        self.file, self.number, self.text = file, number, text

    def __str__(self):
        return f"{self.file}:{self.number}: {self.text}"


class Hold:
    """A hold, from its grant. Times are nanoseconds since boot. `claims` are the spans in which the library reported
    the hold as valid: (from, to, mode, line). `close` fills them.
    """

    __slots__ = ("life", "role", "paths", "want", "permits", "limit", "begun", "granted", "until", "until_line",
                 "seen", "tokens", "znode", "released", "lost", "modes", "line", "grants", "writes", "claims", "znodes")

    def __init__(self, life, role, paths, want, at, line):
        self.life, self.role, self.paths, self.want = life, role, paths, want
        self.begun = self.granted = at  # start and end of the call that acquired the hold
        self.line = line
        self.permits, self.limit = 1, 0
        self.until, self.until_line, self.tokens, self.znode = at, line, {}, "-"
        self.seen = at  # latest time at which the worker saw the hold valid
        self.released = self.lost = None
        self.modes = [(at, want, line)]
        self.grants = []  # (time, mode, tokens, line) of the grant and of conversions
        self.writes = []  # (time, line) of writes without a new check of the hold
        self.claims = []
        self.znodes = []  # the hold's znodes in the servers' logs

    def confirm(self, at, until, line):
        """Records that at the time `at` the library reported the hold as valid until `until`."""
        self.seen = at
        if until > self.until:
            self.until, self.until_line = until, line

    @property
    def end(self):
        """Returns the time until which the hold counts as valid."""
        ends = [self.until] + [t for t in (self.released, self.lost) if t is not None]
        if self.life.left_to_guardian is not None:
            ends.append(self.life.left_to_guardian)
        return min(ends)

    def close(self, excused):
        """Computes the claims. No claim ends later than `excused`."""
        end = min(self.end, excused)
        spans = self.modes + [(end, None, None)]
        for (start, mode, line), (after, _, _) in zip(spans, spans[1:]):
            if min(after, end) > start:
                self.claims.append((start, min(after, end), mode, line))


class Call:
    __slots__ = ("life", "what", "begun", "deadline", "ended", "line", "path")

    def __init__(self, life, what, begun, deadline, line, path=""):
        self.life, self.what, self.begun, self.deadline = life, what, begun, deadline
        self.ended, self.line, self.path = None, line, path


class Order:
    """An operator's order."""

    __slots__ = ("begun", "what", "znode", "ended")

    def __init__(self, begun, what, znode):
        self.begun, self.what, self.znode, self.ended = begun, what, znode, None


class Life:
    """A worker's process, from its start to its end."""

    def __init__(self, worker, number):
        self.worker, self.number = worker, number
        self.holds, self.calls, self.commits, self.orders, self.jobs = [], [], [], [], []
        self.entries = []
        self.begun = self.killed = self.ended = None
        self.guarded = False
        self.last = 0
        self.stops = []  # spans (from, to) in which the process was stopped

    @property
    def left_to_guardian(self):
        """Returns the instant from which the guardian, a process that ends a dead process's sessions at once, may end
        this process's sessions; None if the process was not killed, or had no guardian. Without a guardian the servers
        keep the sessions until their timeout.
        """
        return max(self.killed, self.last) if self.guarded and self.killed is not None else None

    def stopped_within(self, start, end):
        return sum(max(0, min(end, b) - max(start, a)) for a, b in self.stops)


def values(words):
    return dict(word.split("=", 1) for word in words if "=" in word)


def token(text):
    """Converts "0x5+3" to (5, 3)."""
    zxid, _, counter = text.partition("+")
    return int(zxid, 16), int(counter or 0)


def tokens(text):
    made = {}
    for part in text.split(","):
        path, _, said = part.rpartition(":")
        made[path] = token(said)
    return made


class LifeReader:
    """Reads one worker's notes line by line."""

    def __init__(self, life):
        self.life = life
        self.open_calls, self.holds, self.commits = {}, {}, {}
        self.orders = {}

    def take(self, line):
        words = line.text.split()
        if len(words) < 3:
            return
        at, kind, number, said = int(words[0]), words[1], int(words[2]), values(words[3:])
        self.life.last = max(self.life.last, at)
        handler = getattr(self, "on_" + kind, None)
        if kind in ENDS:
            self.end_call(("call", number), at)
        if handler:
            handler(at, number, said, line)

    def begin_call(self, key, what, at, said, line):
        call = Call(self.life, what, at, int(said["deadline"]), line, said.get("path", ""))
        self.open_calls[key] = (call, said)
        self.life.calls.append(call)

    def end_call(self, key, at):
        if key in self.open_calls and self.open_calls[key][0].ended is None:
            self.open_calls[key][0].ended = at

    def on_begin(self, at, *_):
        self.life.begun = at

    def on_end(self, at, *_):
        self.life.ended = at

    def on_call(self, at, number, said, line):
        self.begin_call(("call", number), "acquire", at, said, line)

    def on_granted(self, at, number, said, line):
        call, asked = self.open_calls.get(("call", number), (None, said))
        said_tokens = tokens(said["tokens"])
        hold = Hold(self.life, asked["role"], list(said_tokens), asked["want"], at, line)
        hold.begun = call.begun if call else at
        hold.permits, hold.limit = int(asked.get("permits", 1)), int(asked.get("limit", 0))
        hold.until, hold.znode, hold.tokens = int(said["until"]), said["znode"], said_tokens
        hold.grants.append((at, asked["want"], said_tokens, line))
        self.holds[number] = hold
        self.life.holds.append(hold)

    def on_step(self, at, number, said, line):
        self.holds[number].confirm(at, int(said["until"]), line)

    def on_lost(self, at, number, said, line):
        if hold := self.holds.get(number):
            hold.lost = at if hold.lost is None else min(hold.lost, at)

    on_invalid = on_lost

    def on_write(self, at, number, said, line):
        if hold := self.holds.get(number):
            hold.writes.append((at, line))

    def on_release(self, at, number, said, line):
        if hold := self.holds.get(number):
            hold.released = at
        if "deadline" in said:
            self.begin_call(("release", number), "release", at, said, line)

    def on_released(self, at, number, said, line):
        self.end_call(("release", number), at)

    def on_convert(self, at, number, said, line):
        hold = self.holds[number]
        self.begin_call(("convert", number), "convert", at, said, line)
        weaker = min(hold.modes[-1][1], said["to"], key=RANK.get)
        hold.modes.append((at, weaker, line))

    def on_converted(self, at, number, said, line):
        hold = self.holds[number]
        self.end_call(("convert", number), at)
        before = hold.modes[-2][1]
        hold.modes.append((at, said["to"] if said["result"] == "ok" else before, line))
        if said.get("over") == "yes":
            self.on_lost(at, number, said, line)
        if said["result"] == "ok":
            hold.confirm(at, int(said["until"]), line)
            hold.grants.append((at, said["to"], tokens(said["tokens"]), line))

    def on_commit(self, at, number, said, line):
        self.begin_call(("commit", number), "commit", at, said, line)
        under = [said["hold"]] + [further for further in (said.get("under", "-"),) if further != "-"]
        data = [f"{said['data']}.{i}" for i in range(int(said.get("entries", 0)))] or [said["data"]]
        commit = {"data": data, "holds": [self.holds[int(hold)] for hold in under], "result": None,
                  "line": line, "at": at, "store": said.get("store", "counter"), "part": "-",
                  "removes": said.get("removes") == "1"}
        self.commits[number] = commit
        self.life.commits.append(commit)

    def on_committed(self, at, number, said, line):
        self.end_call(("commit", number), at)
        self.commits[number]["result"] = said["result"].split(":", 1)[0]
        self.commits[number]["part"] = said.get("part", "-")
        self.commits[number]["line"] = line

    def on_job(self, at, number, said, line):
        asked = self.open_calls[("call", number)][1]
        self.life.jobs.append((at, int(said["number"]), int(asked["period"]), line))

    def on_entry(self, at, number, said, line):
        call, asked = self.open_calls[("call", number)]
        self.life.entries.append((call.begun, at, int(asked["limit"]), int(asked["period"]), line))

    def on_order(self, at, number, said, line):
        self.orders[number] = Order(at, said["what"], said["znode"])
        self.life.orders.append(self.orders[number])

    def on_ordered(self, at, number, said, line):
        self.orders[number].ended = at


class Campaign:
    """All notes of one folder."""

    def __init__(self, folder):
        self.folder = folder
        self.lives = {}
        self.clocks = []  # pairs (boottime ns, wall-clock ns minus boottime ns)
        self.director = []  # the director's actions: (time, kind, values, line)
        self.calm = self.ending = None
        self.lists = []  # lookout.py's observations: (time, server, folder, zxid, short names, line)
        self.settings = {}
        for name in sorted(os.listdir(folder)):
            if found := re.fullmatch(r"(worker-\d+)\.(\d+)\.notes", name):
                self._read_life(name, found.group(1), int(found.group(2)))
        self._read_director()

    @property
    def holds(self):
        return [hold for life in self.lives.values() for hold in life.holds]

    @property
    def calls(self):
        return [call for life in self.lives.values() for call in life.calls]

    def shown(self):
        """Returns lookout.py's observations, with times of the wall clock."""
        return [(self.wall(at), *rest) for at, *rest in self.lists]

    def wall(self, boottime):
        """Converts a boot time to milliseconds of the wall clock, the unit of the transaction logs."""
        at = bisect.bisect_right(self.clocks, (boottime, 1 << 63))
        return (boottime + (self.clocks[max(at - 1, 0)][1] if self.clocks else 0)) / 1e6

    def deadline_on_the_wall(self, deadline):
        """Converts a session's deadline in a database to microseconds of the wall clock. Deadlines in SQLite use the
        boot clock.
        """
        if self.settings.get("servers") != "sqlite":
            return deadline
        return self.wall(deadline * 1000) * 1000

    def _lines(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8", errors="replace") as file:
            for number, text in enumerate(file, 1):
                if text.endswith("\n"):
                    yield Line(name, number, text.rstrip("\n"))

    def _read_life(self, name, worker, number):
        life = Life(worker, number)
        reader = LifeReader(life)
        for line in self._lines(name):
            reader.take(line)
        self.lives[(worker, number)] = life

    def _read_director(self):
        stopped = {}
        for line in self._lines("director.notes"):
            words = line.text.split()
            at, kind, said = int(words[0]), words[1], values(words[2:])
            if kind == "lists":
                self.lists.append((at, int(said["server"]), said["path"], int(said["zxid"], 16),
                                   set(said["names"].split(",")), line))
                continue
            self.director.append((at, kind, said, line))
            life = self.lives.get((said.get("worker"), int(said.get("life", 0))))
            if kind == "clock":
                self.clocks.append((at, int(said["offset"])))
            elif kind == "settings":
                self.settings = said
            elif kind in ("calm", "ending"):
                setattr(self, kind, at)
            elif life and kind == "stop":
                stopped.setdefault(id(life), at)
            elif life and kind == "cont" and id(life) in stopped:
                life.stops.append((stopped.pop(id(life)), at))
            elif life and kind == "kill" and life.killed is None:
                life.killed = at
                life.guarded = said.get("guarded") == "1"
