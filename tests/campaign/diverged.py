# SPDX-License-Identifier: Apache-2.0
"""Servers whose tree is not what the servers' own logs say.

A follower that fails while it joins its leader (ZOOKEEPER-4394: NullPointerException in Learner.syncWithLeader) was
seen to log and carry out a thousand transactions twice. From then on it listed a contender that the logs had removed
long ago, and whoever asked that server waited behind it for ever.

At the end of a campaign each server lists each path. The answer says up to which transaction the server's tree goes:
a name in it that the logs removed before that transaction is a phantom.
"""


class Phantom:
    """A znode that one server shows, and that is gone."""

    __slots__ = ("server", "path", "gone_zxid", "seen_zxid", "line")

    def __init__(self, server, path, gone_zxid, seen_zxid, line):
        self.server, self.path, self.line = server, path, line
        self.gone_zxid, self.seen_zxid = gone_zxid, seen_zxid

    def __str__(self):
        return (f"server {self.server} lists {self.path} at {self.seen_zxid:#x}, although the servers removed it at "
                f"{self.gone_zxid:#x}")


def phantoms(lists, history):
    """folder -> the first phantom in it. `lists`: (server, folder, zxid, names, line)."""
    gone = {znode.path: znode.gone_zxid for znode in history.znodes if znode.gone_zxid is not None}
    found = {}
    for server, folder, zxid, names, line in lists:
        for name in names:
            removed = gone.get(f"{folder}/{name}")
            if removed is not None and removed <= zxid:
                found.setdefault(folder, Phantom(server, f"{folder}/{name}", removed, zxid, line))
    return found
