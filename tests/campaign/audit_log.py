# SPDX-License-Identifier: Apache-2.0
"""Reads the rows that triggers in a database recorded (audit_postgresql.sql, audit_mariadb.sql, audit_sqlite.sql). The
rows contain every committed change of the znodes. Within a folder they are in the order of the changes.

A line is "n|at|what|path|owner|number|deadline|data in hex", times in microseconds. Changes that were rolled back
have no row.
"""

from txn_log import Transaction

MS = 1000


def transactions(file, wall_of_deadline):
    """`wall_of_deadline` converts a session's deadline into microseconds of the wall clock."""
    found, number = [], 0
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            _, at, what, path, owner, of, deadline, data = line.rstrip("\n").split("|")
            when, owner = int(at) / MS, int(owner)
            number = max(number, int(of))
            if what == "create":
                part = ("create", path, text_of(data), owner != 0)
            elif what == "set":
                part = ("set", path, text_of(data))
            elif what == "delete":
                part = ("delete", path)
            else:
                part = (end_of(int(deadline), wall_of_deadline, int(at)),)
            zxid = int(of) if what in ("create", "set") else number
            found.append(Transaction(zxid, when, owner, [part]))
    return found


def end_of(deadline, wall_of_deadline, at):
    """Returns how a session ended: by itself, at its deadline, or earlier because another client saw its process end.
    """
    if deadline == 0:
        return "close"
    return "expire" if wall_of_deadline(deadline) <= at + MS else "gone"


def text_of(data):
    return bytes.fromhex(data).decode(errors="replace")


def entries(file):
    with open(file, encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines]
