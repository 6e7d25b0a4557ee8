# SPDX-License-Identifier: Apache-2.0
"""Servers whose tree differs from the servers' own logs.

A follower that fails, or is late, while it joins its leader may miss a transaction that its log has, or apply one twice
(ZOOKEEPER-4394, -4785 and similar). Such a follower shows clients a deleted znode, or hides an existing one.

During a campaign, lookout.py asks each server every second for its contenders. The answer contains the last transaction
that the server's tree has applied. If a contender existed long before the answer and still exists, but the answer does
not list it, it is *missing* on that server. If the answer lists a contender that was removed long before, it is a
*phantom* on that server.
"""

import collections

STEADY = 1000  # ms before and after an answer in which the logs must not change the contender
MARGIN = 5000  # ms that count as wrong before the first and after the last wrong answer


def short(name):
    """Returns a short form of a contender's name that is still unique: the start of its GUID, and its number."""
    return name[3:11] + name[-10:]


class Divergence:
    """A contender that one server showed wrongly, and the span in which it did so (ms of the wall clock)."""

    __slots__ = ("server", "znode", "what", "begun", "ended", "line")

    def __init__(self, server, znode, what, at, line):
        self.server, self.znode, self.what, self.line = server, znode, what, line
        self.begun = self.ended = at

    def covers(self, at):
        return self.begun - MARGIN <= at <= self.ended + MARGIN

    def __str__(self):
        return f"server {self.server} {self.what} {self.znode.path} for {(self.ended - self.begun) / 1000:.0f} s or more"


class Divergences:
    """`lists`: tuples (wall-clock ms, server, folder, zxid, short names, line)."""

    def __init__(self, lists=(), history=None):
        self.found = {}  # (server, path, what) -> Divergence
        self.by_folder = collections.defaultdict(list)
        folders = collections.defaultdict(list)
        for znode in history.znodes if history else ():
            folders[znode.folder].append(znode)
        by_folder = collections.defaultdict(list)
        for answer in lists:
            by_folder[answer[2]].append(answer)
        for folder, answers in by_folder.items():
            self._compare(sorted(folders[folder], key=lambda z: z.made), sorted(answers, key=lambda a: a[0]))
        for divergence in self.found.values():
            self.by_folder[divergence.znode.folder].append(divergence)

    def _compare(self, znodes, answers):
        known = {short(znode.name): znode for znode in znodes}
        standing, following = [], 0
        for at, server, _, zxid, names, line in answers:
            while following < len(znodes) and znodes[following].made <= at - STEADY:
                standing.append(znodes[following])
                following += 1
            standing = [z for z in standing if z.gone is None or z.gone >= at + STEADY]
            for znode in standing:
                if znode.czxid <= zxid and short(znode.name) not in names:
                    self._add(server, znode, "does not list", at, line)
            for name in names:
                znode = known.get(name)
                if znode and znode.gone is not None and znode.gone <= at - STEADY and znode.gone_zxid <= zxid:
                    self._add(server, znode, "lists the removed", at, line)

    def _add(self, server, znode, what, at, line):
        divergence = self.found.setdefault((server, znode.path, what), Divergence(server, znode, what, at, line))
        divergence.ended = at

    def of_znode(self, znode, at):
        """Returns the divergence of this contender at that time, or None."""
        return next((d for d in self.by_folder[znode.folder] if d.znode is znode and d.covers(at)), None)

    def of_path(self, path, at):
        """Returns a divergence of any contender of that path at that time, or None."""
        return next((d for d in self.by_folder[path] if d.covers(at)), None)

    def __iter__(self):
        return iter(self.found.values())
