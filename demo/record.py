# SPDX-License-Identifier: Apache-2.0
"""The record of one run: its events, and the holds that follow from the events. The director is demo.py.

| event          | of       | when                                         | number                       |
|----------------|----------|----------------------------------------------|------------------------------|
| ready          | worker   | connected, waits for the start               |                              |
| asked          | worker   | before acquire()                             |                              |
| granted        | worker   | acquire() returned a hold                    | sequence number of its znode |
| parked         | worker   | got the order, is in its critical section    |                              |
| lost           | worker   | saw valid() == false                         | valid_until, ns since boot   |
| sold           | worker   | its write was accepted                       | the item                     |
| refused        | worker   | its write was refused by the fencing rule    | the item                     |
| released       | worker   | before unlock()                              |                              |
| sold_out       | worker   | found the stock empty, ends                  |                              |
| killed         | director | before SIGKILL                               |                              |
| killed_guarded | director | before SIGKILL of the worker with a guardian |                              |
| killed_again   | director | before SIGKILL of a second unguarded worker  |                              |
| stopped        | director | before SIGSTOP                               |                              |
| resumed        | director | before SIGCONT                               |                              |
| server_killed  | director | before SIGKILL of the server                 |                              |
| server_back    | director | the server answers again                     |                              |

In an event of the director, `worker` is the worker that the director signals. In server_killed it is the holder.
Times are nanoseconds of CLOCK_BOOTTIME, one clock for all processes.
"""

import dataclasses

KILLS = ("killed", "killed_guarded", "killed_again")
SECOND = 1_000_000_000
MILLISECOND = 1_000_000


@dataclasses.dataclass
class Kind:
    """A kind of server, and how the demo describes the faults on it."""

    where: str
    clock: str
    killed_note: str  # text to show while the demo waits for the hand-over after the first kill
    first_kill: str  # title of the panel for the first kill
    second_blow: str  # what happens to the second holder: killed_guarded, server_killed or killed_again
    freed_at_once: bool = False  # true if the kernel frees the lock of a dead process


_ROW = "The first kill: its place in the queue goes when its session times out, by the server's clock, and the next is granted"
KINDS = {
    "zookeeper": Kind("a private ZooKeeper", "the ZooKeeper server's clock", "its session times out",
                      "The first kill: its znode goes when its session times out, and the next in the queue is granted",
                      "killed_guarded"),
    "redis": Kind("a private Redis, each write synced", "the Redis server's clock", "its session times out", _ROW,
                  "server_killed"),
    "postgresql": Kind("a private PostgreSQL", "the PostgreSQL server's clock", "its session times out", _ROW,
                       "server_killed"),
    "mariadb": Kind("a private MariaDB", "the MariaDB server's clock", "its session times out", _ROW, "server_killed"),
    "sqlite": Kind("a SQLite file and no server", "this machine's clock", "the kernel lets go of its file",
                   "The first kill: the kernel tells the others that the process has gone, and the next in the queue is "
                   "granted at once", "killed_again", True),
}  # fmt: skip


@dataclasses.dataclass
class Event:
    kind: str
    worker: int = 0  # number of the worker, counted from 1
    at: int = 0
    token: str = "0x0"  # token of the hold, if the event concerns a hold
    number: int = 0
    epoch: int = 0  # for "granted": number of this worker's session
    text: str = ""  # for "refused": the highest token that the stock had seen

    def line(self):
        return f"{self.kind} {self.worker} {self.at} {self.token} {self.number} {self.epoch} {self.text}".rstrip()

    @staticmethod
    def parse(line):
        kind, worker, at, token, number, epoch, *text = line.split(" ", 6)
        return Event(kind, int(worker), int(at), token, int(number), int(epoch), "".join(text))


@dataclasses.dataclass
class Hold:
    """A hold: the time of a worker at the head of the queue."""

    worker: int
    token: str
    sequence: int
    epoch: int
    asked: int
    begin: int
    to: int = 0  # end of the worker's claim: release, death, or end of the lease
    left: int = 0  # when the worker left its critical section; later than `to` if the hold was lost
    end: str = "open"  # "open", "released", "killed" or "lost"


@dataclasses.dataclass
class Run:
    servers: str = "zookeeper"
    items: int = 500
    workers: int = 5
    seed: int = 1
    session_timeout: int = 4 * SECOND
    tick: int = SECOND // 5
    events: list = dataclasses.field(default_factory=list)  # in order of time
    sales: list = dataclasses.field(default_factory=list)  # (item, worker, token), in the order of the sales file
    stock_left: int = 0
    began: int = 0  # time at which the workers got the start command
    ended: int = 0
    server_time: float = 0.0  # the servers' clock at `began`, seconds since 1970

    def kind(self):
        return KINDS[self.servers]

    def first(self, kind, worker=None, since=0):
        wanted = (e for e in self.events if e.kind == kind and worker in (None, e.worker) and e.at >= since)
        return next(wanted, None)

    def after_pause(self, kind):
        """Returns the paused worker's first event of this kind after its SIGSTOP."""
        stopped = self.first("stopped")
        return stopped and self.first(kind, stopped.worker, stopped.at)

    def holds(self):
        """Returns the holds in the order of their grants."""
        asked, current, done = {}, {}, []

        def finish(worker, at, end):
            hold = current.pop(worker, None)
            if hold:
                hold.left = at
                if hold.end != "lost":
                    hold.to, hold.end = at, end
                done.append(hold)

        for e in self.events:
            if e.kind == "asked":
                asked[e.worker] = e.at
            elif e.kind == "granted":
                current[e.worker] = Hold(e.worker, e.token, e.number, e.epoch, asked.get(e.worker, e.at), e.at)
            elif e.kind == "lost" and e.worker in current:
                current[e.worker].end, current[e.worker].to = "lost", e.number
            elif e.kind == "released" or e.kind in KILLS:
                finish(e.worker, e.at, "released" if e.kind == "released" else "killed")
        for worker in list(current):
            finish(worker, self.ended, "open")
        return sorted(done, key=lambda hold: hold.begin)

    def hold_at(self, worker, at):
        """Returns the worker's hold at the time `at`, or its latest hold that had ended by then."""
        return next((h for h in reversed(self.holds()) if h.worker == worker and h.begin <= at), None)

    def hand_over(self, cause):
        """Returns the event that killed or stopped a worker, the next grant, and the time between both. Returns None if
        one is missing.
        """
        e = self.first(cause)
        after = e and next((h for h in self.holds() if h.begin > e.at), None)
        return (e, after, after.begin - e.at) if after else None

    def times_sold(self):
        """Returns the number of sales of each item; index 0 is item 1. Leaves out sales of items that do not exist."""
        times = [0] * self.items
        for item, _, _ in self.sales:
            if 1 <= item <= self.items:
                times[item - 1] += 1
        return times


def order_of(token):
    """Returns a sort key for tokens, which sorts them in the order of their grants. A token is 0x<hexadecimal> or
    0x<hexadecimal>+<decimal>.
    """
    number, _, counter = token.partition("+")
    return int(number, 16), int(counter or 0)


def in_seconds(duration):
    return f"{duration / SECOND:.2f} s"


def in_milliseconds(duration):
    """Formats a duration as "12.3 ms", or as "4.21 s" if it is at least one second."""
    return in_seconds(duration) if duration >= SECOND else f"{duration / MILLISECOND:.1f} ms"
