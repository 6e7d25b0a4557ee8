# SPDX-License-Identifier: Apache-2.0
"""Finds transactions that the servers acknowledged and then lost, as the servers' logs show.

A leader numbers the transactions of its term without gaps, and each is in the log of a majority before the client
gets its answer. The log of a server that received a snapshot has gaps; another server has those numbers. If no server
has a number, and one of them has a later number of the same term, the servers have lost the transaction.
"""

import struct

from txn_log import committed, folder_transactions


class Loss:
    """A loss: the lost transactions first..last, and the span of the servers' wall clock (ms) in which a client's
    answers may contradict the servers' state because of the loss.
    """

    __slots__ = ("first", "last", "begun", "ended")

    def __init__(self, first, last, begun, ended):
        self.first, self.last, self.begun, self.ended = first, last, begun, ended

    def __str__(self):
        return f"the servers lost the transactions {self.first:#x} to {self.last:#x} of their own logs"


def time_of(body):
    return struct.unpack_from(">q", body, 20)[0]


def losses(folders, session_ms):
    """`session_ms`: the time after a loss for which a session may live and rely on an older answer."""
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
