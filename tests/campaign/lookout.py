# SPDX-License-Identifier: Apache-2.0
"""Records every second each server's view of the queues while a campaign lasts. One thread for each server uses a
client that shares no code with the library.
"""

import threading

from diverged import short
from raw_client import RawError, Session

PERIOD = 1.0  # seconds


class Lookout:
    def __init__(self, servers, paths, notes):
        self.paths, self.notes = paths, notes
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self._watch, args=(number, server), daemon=True)
                        for number, server in enumerate(servers)]
        for thread in self.threads:
            thread.start()

    def close(self):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def _watch(self, number, server):
        session = None
        while not self.over.wait(PERIOD):
            try:
                session = session or Session(server)
                self._look(number, session)
            except RawError:  # the server is stopped, or is just starting
                if session is not None:
                    session.link.close()
                session = None
        if session is not None:
            session.close()

    def _look(self, number, session):
        for path in self.paths:
            try:
                names = session.children(path)
            except RawError as why:
                if why.code == 0:
                    raise
                continue  # the folder does not exist yet
            self.notes.write("lists", server=number, path=path, zxid=f"{session.zxid:#x}",
                             names=",".join(map(short, names)) or "-")
