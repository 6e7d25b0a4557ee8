# SPDX-License-Identifier: Apache-2.0
"""Transactions that the servers lost after they had passed them on, by their own logs.

A leader numbers the transactions of its term one by one, and each is in the log of a majority before a client is
answered. A number is missing in the log of a server that was sent a snapshot; another server has it then. A number
that no server has, although one of them has a later one of the same term, was lost by the servers.
"""

import struct

from txn_log import committed, folder_transactions


class Loss:
    """Transactions first..last, and the span of the servers' wall clock (ms) in which what a client was told, and
    what stands, may differ for it."""

    __slots__ = ("first", "last", "begun", "ended")

    def __init__(self, first, last, begun, ended):
        self.first, self.last, self.begun, self.ended = first, last, begun, ended

    def __str__(self):
        return f"the servers lost the transactions {self.first:#x} to {self.last:#x} of their own logs"


def time_of(body):
    return struct.unpack_from(">q", body, 20)[0]


def losses(folders, session_ms):
    """`session_ms`: how long a session may live on after the loss with what it was told before."""
    times = {}
    for folder in folders:
        for zxid, body in folder_transactions(folder):
            times.setdefault(zxid, time_of(body))
    limits = committed(folders)
    numbers = sorted(times)
    found = []
    for before, after in zip(numbers, numbers[1:]):
        if after == before + 1 or after >> 32 != before >> 32:
            continue
        survives = after <= limits.get(after >> 32, 0)
        last = after - 1 if survives else max(n for n in numbers if n >> 32 == after >> 32)
        ended = times[after] if survives else next(
            (times[n] for n in numbers if n > last and n <= limits.get(n >> 32, 0)), times[numbers[-1]])
        if not found or before + 1 > found[-1].last:
            found.append(Loss(before + 1, last, times[before], ended + session_ms))
    return found
