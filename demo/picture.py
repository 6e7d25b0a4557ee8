# SPDX-License-Identifier: Apache-2.0
"""Draws when each worker waited for the lock and when it held the lock: as SVG, and as text for the terminal.

No single scale shows everything: 500 sales take seconds, a dead holder's lease takes seconds, and one hold takes
milliseconds. So there is one panel for the whole run, and a panel for each moment of interest. The axis of such a panel
leaves out idle time.
"""

import math
import time
import typing
from xml.sax.saxutils import escape

from record import KILLS, MILLISECOND, SECOND, in_milliseconds, in_seconds


class Mark(typing.NamedTuple):
    kind: str
    worker: int
    at: int
    text: str


class Panel(typing.NamedTuple):
    title: str
    segments: list  # (from, to), in order of time; the picture leaves out the time between two segments
    shows_all: bool = False


BAD = ("killed", "server_killed", "refused", "lease_over")
SLOW = ("stopped", "resumed")
BEFORE, AFTER = 30 * MILLISECOND, 60 * MILLISECOND


def spans_of(worker, run, holds):
    """Returns the worker's spans (kind, from, to, token). The kinds are waiting; holding; left_behind: dead or with an
    ended lease, and still first in the queue; overdue: in the critical section after the end of the lease.
    """
    spans = []
    for i, h in enumerate(holds):
        if h.worker != worker:
            continue
        following = holds[i + 1].begin if i + 1 < len(holds) else run.ended
        spans += [("waiting", h.asked, h.begin, h.token), ("holding", h.begin, h.to, h.token)]
        if h.end == "killed":
            spans.append(("left_behind", h.to, following, h.token))
        if h.end == "lost":
            middle = min(following, h.left)
            spans += [("left_behind", h.to, middle, h.token), ("overdue", middle, h.left, h.token)]
    return [span for span in spans if span[2] > span[1]]


def marks_of(run):
    marks = []

    def add_grant(over):
        marks.append(Mark("handed_over", over[1].worker, over[1].begin,
                          f"worker {over[1].worker} granted {over[1].token}, {in_milliseconds(over[2])} later"))  # fmt: skip

    for cause in KILLS:
        if over := run.hand_over(cause):
            guarded = ", which has a guardian" if cause == "killed_guarded" else ""
            marks.append(Mark("killed", over[0].worker, over[0].at, f"SIGKILL worker {over[0].worker}{guarded}"))
            add_grant(over)
    killed, back = run.first("server_killed"), run.first("server_back")
    if killed and back:
        marks.append(Mark("server_killed", killed.worker, killed.at, "SIGKILL of the server"))
        marks.append(Mark("server_back", back.worker, back.at, f"the server is back, {in_milliseconds(back.at - killed.at)} later"))
    over, resumed = run.hand_over("stopped"), run.first("resumed")
    if over and resumed:
        worker = over[0].worker
        marks.append(Mark("stopped", worker, over[0].at, f"SIGSTOP worker {worker}"))
        add_grant(over)
        marks.append(Mark("resumed", worker, resumed.at, "SIGCONT"))
        if lost := run.after_pause("lost"):
            marks.append(Mark("lease_over", worker, lost.number, f"worker {worker}: lease over"))
        if refused := run.after_pause("refused"):
            marks.append(Mark("refused", worker, refused.at, f"write with {refused.token} refused"))
        again = next((h for h in run.holds() if h.worker == worker and h.begin >= resumed.at), None)
        if again:
            marks.append(Mark("back", worker, again.begin, f"worker {worker} is back: {again.token}"))
    return sorted(marks, key=lambda mark: mark.at)


def _around(first, second):
    """Returns a segment around each of two moments, or a single segment if the moments are close together."""
    if second - first > BEFORE + AFTER:
        return [(first - BEFORE, first + AFTER), (second - BEFORE, second + AFTER)]
    return [(first - BEFORE, second + AFTER)]


def panels_of(run, marks):
    panels, holds = [Panel("The whole run", [(run.began, run.ended)], True)], run.holds()
    if holds and holds[0].end == "released":  # shows only some of the everyday holds, so that each is visible
        before = next((i for i, h in enumerate(holds) if h.end != "released"), len(holds))
        shown = min(before, 2 * run.workers + 2)
        first = (before - shown) // 2
        panels.append(Panel("Everyday work: one holds, the others queue, first come, first served",
                            [(holds[first].begin - MILLISECOND, holds[first + shown - 1].to)]))  # fmt: skip
    for cause, title in zip(KILLS, (
        run.kind().first_kill, "The second kill: this worker has a guardian, which closes its session at once",
        "The second kill: the same once more")):  # fmt: skip
        if over := run.hand_over(cause):
            panels.append(Panel(title, _around(over[0].at, over[1].begin)))
    at = {mark.kind: mark.at for mark in reversed(marks)}
    if "server_killed" in at:
        panels.append(Panel("The server is killed and started again: nobody else gets the lock meanwhile, and nobody's "
                            "place in the queue is lost", _around(at["server_killed"], at["server_back"])))  # fmt: skip
    if "stopped" in at:
        stop, woken = at["stopped"], at["resumed"]
        granted = next(m.at for m in marks if m.kind == "handed_over" and m.at >= stop)
        # If the worker resumed soon after the grant, the second and the third segment of the panel meet at `middle`. So
        # they do not overlap.
        middle = granted + (woken - granted) // 2
        panels.append(Panel("The pause: the lease ends before the lock is handed over, and a late write is refused", [
            (stop - BEFORE, stop + AFTER),
            (at.get("lease_over", granted) - BEFORE, min(granted + AFTER, middle)),
            (max(woken - BEFORE, middle), at.get("back", woken) + AFTER)]))  # fmt: skip
    return panels


class Piece(typing.NamedTuple):
    """A segment and its position on the axis."""

    begin: int
    end: int
    left: float
    right: float

    def x(self, at):
        part = (min(max(at, self.begin), self.end) - self.begin) / max(1, self.end - self.begin)
        return self.left + part * (self.right - self.left)

    def contains(self, at):
        return self.begin <= at <= self.end

    def ticks(self, origin, apart):
        """Returns pairs (x, text): round instants counted from `origin`, which are at least `apart` from each other."""
        steps = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 60000)
        per_ms = (self.right - self.left) / ((self.end - self.begin) / MILLISECOND)
        step = next((ms for ms in steps if ms * per_ms >= apart), steps[-1])
        decimals = 0 if step >= 1000 else 1 if step >= 100 else 2 if step >= 10 else 3
        first = math.ceil((self.begin - origin) / MILLISECOND / step)
        for n in range(first, int((self.end - origin) / MILLISECOND / step) + 1):
            yield self.x(origin + n * step * MILLISECOND), f"{n * step / 1000:.{decimals}f} s"


def pieces_of(panel, left, right, gap):
    """Returns the panel's segments side by side, equally wide, and `gap` apart."""
    width = (right - left - gap * (len(panel.segments) - 1)) / len(panel.segments)
    return [Piece(*segment, left + i * (width + gap), left + i * (width + gap) + width) for i, segment in enumerate(panel.segments)]


def place_labels(requests, left, right):
    """Places labels. Takes pairs (x of the label's line, width) in order of x. Returns for each label its row, and
    whether it ends at its line instead of starting there. No two labels overlap. A line runs down from its label, and
    crosses no other label.
    """
    done, places = [], []

    def box(x, width, row, to_left):
        begin = x - 3 - width if to_left else x + 3
        return x, begin, begin + width, row

    def collide(a, b):
        if a[3] == b[3]:
            return a[1] < b[2] + 8 and b[1] < a[2] + 8
        upper, lower = (a, b) if a[3] < b[3] else (b, a)
        return lower[1] < upper[0] < lower[2]

    for x, width in requests:
        # If no row with labels has room, the label gets a new row below them. The label begins at its line, or ends at
        # its line if it would otherwise leave the picture.
        rows = max((place[0] + 1 for place in places), default=0)
        options = [(row, to_left) for row in range(rows) for to_left in (False, True)] + [(rows, False)]
        where = (rows, x + 3 + width > right)
        for option in options:
            candidate = box(x, width, *option)
            if candidate[1] >= left and candidate[2] <= right and not any(collide(candidate, other) for other in done):
                where = option
                break
        places.append(where)
        done.append(box(x, width, *where))
    return places


STYLE = """
text { font-family: "DejaVu Sans", Verdana, sans-serif; font-size: 11px; fill: #344054; }
.title { font-size: 19px; font-weight: bold; fill: #101828; } .heading { font-size: 13px; font-weight: bold; fill: #101828; }
.muted { fill: #667085; } .ground { fill: #ffffff; } .row { fill: #f2f4f7; }
.grid { stroke: #d0d5dd; } .cut { stroke: #98a2b3; stroke-width: 1.5; }
.waiting { fill: #c5dbf5; } .holding { fill: #1d5fa8; } .left_behind { fill: #f0b95b; } .overdue, .twice { fill: #d92d20; }
.stopped { fill: none; stroke: #b54708; stroke-width: 1.5; stroke-dasharray: 4 2; } .token { fill: #ffffff; font-size: 10px; }
.mark { stroke: #475467; stroke-dasharray: 2 2; } .bad_mark { stroke: #d92d20; stroke-width: 1.5; }
.slow_mark { stroke: #b54708; stroke-width: 1.5; }
.bad { fill: #b42318; font-weight: bold; } .slow { fill: #b54708; font-weight: bold; }
@media (prefers-color-scheme: dark) {
  text { fill: #d0d5dd; } .title, .heading { fill: #f9fafb; } .muted { fill: #98a2b3; } .ground { fill: #14181f; }
  .row { fill: #1d232d; } .grid { stroke: #384152; } .waiting { fill: #2b4a70; } .holding { fill: #7cb8ff; }
  .left_behind { fill: #b57a1e; } .overdue, .twice { fill: #ff6b5e; } .stopped { stroke: #fdb022; }
  .token { fill: #0c1a2b; } .mark { stroke: #98a2b3; } .bad_mark { stroke: #ff6b5e; } .bad { fill: #ff8a80; }
  .slow_mark { stroke: #fdb022; } .slow { fill: #fdb022; }
}
"""
WIDTH, LEFT, RIGHT, MARGIN = 1200, 88, 1180, 20
LANE, STEP, CUT = 20, 25, 26  # height of a lane, distance of lanes, gap between two segments of an axis


def text_width(text, bold=False):
    return len(text) * (7.2 if bold else 6.3)


class Svg:
    def __init__(self):
        self.lines = []

    def box(self, x, y, width, height, style, hint=""):
        title = f"<title>{escape(hint)}</title>" if hint else ""
        self.lines.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" class="{style}">{title}</rect>')

    def line(self, x1, y1, x2, y2, style):
        self.lines.append(f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" class="{style}"/>')

    def text(self, x, y, text, style, anchor="start"):
        self.lines.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{style}" text-anchor="{anchor}">{escape(text)}</text>')

    def panel(self, panel, run, marks, y):
        """Draws a panel. Returns the position of its end."""
        self.text(MARGIN, y + 12, panel.title, "heading")
        y += 22
        pieces = pieces_of(panel, LEFT, RIGHT, CUT)
        detail = ("lease_over", "refused", "back")
        shown = [(m, p.x(m.at)) for m in marks if not (panel.shows_all and m.kind in detail) for p in pieces if p.contains(m.at)]
        places = place_labels([(x, text_width(m.text, m.kind in BAD + SLOW)) for m, x in shown], MARGIN, RIGHT)
        top = y + 15 * max((row + 1 for row, _ in places), default=0) + 4
        bottom = top + STEP * run.workers
        holds = run.holds()
        for worker in range(1, run.workers + 1):
            self.lane(worker, spans_of(worker, run, holds), panel, pieces, top + STEP * (worker - 1))
        stopped, resumed = run.first("stopped"), run.first("resumed")
        for p in pieces:
            if stopped and resumed and stopped.at <= p.end and resumed.at >= p.begin:
                left, right = p.x(stopped.at), p.x(resumed.at)
                self.box(left, top + STEP * (stopped.worker - 1) - 1, right - left, LANE + 2, "stopped")
        for (mark, x), (row, to_left) in zip(shown, places):
            style = "bad" if mark.kind in BAD else "slow" if mark.kind in SLOW else "note"
            self.line(x, y + 15 * row, x, bottom - 5, "mark" if style == "note" else f"{style}_mark")
            self.text(x - 4 if to_left else x + 4, y + 15 * row + 10, mark.text, style, "end" if to_left else "start")
        self.axis(pieces, run.began, bottom)
        return bottom + (54 if len(pieces) > 1 else 44)

    def lane(self, worker, spans, panel, pieces, y):
        self.text(LEFT - 10, y + 14, f"worker {worker}", "name", "end")
        for p in pieces:
            self.box(p.left, y, p.right - p.left, LANE, "row")
            for kind, begin, to, token in spans:
                if to < p.begin or begin > p.end:
                    continue
                x, width = p.x(begin), p.x(to) - p.x(begin)
                named = kind == "holding" and not panel.shows_all
                self.box(x, y, width, LANE, kind, f"token {token}, held for {in_milliseconds(to - begin)}" if named else "")
                if named and text_width(token) + 2 < width:
                    self.text(x + width / 2, y + 14, token, "token", "middle")

    def axis(self, pieces, origin, y):
        for p, following in zip(pieces, [*pieces[1:], None]):
            self.line(p.left, y, p.right, y, "grid")
            for x, text in p.ticks(origin, 62):
                self.line(x, y, x, y + 4, "cut")
                half = text_width(text) / 2
                if p.left - 11 <= x - half and x + half <= p.right + 11:
                    self.text(x, y + 16, text, "muted", "middle")
            if following:
                x, gap = (p.right + following.left) / 2, following.begin - p.end
                for dx in (-3, 3):
                    self.line(x + dx - 3, y + 5, x + dx + 3, y - 5, "cut")
                self.text(x, y + 31, f"{in_milliseconds(gap)} not shown" if gap > 0 else "another scale", "muted", "middle")

    def sales(self, run, name, y):
        """Draws the number of sales of each item, with one thin bar for each item."""
        times = run.times_sold()
        most = max(1, *times)
        unit = min(12.0, 64 / most)
        bottom = y + unit * most + 18
        twice = sum(n > 1 for n in times)
        self.text(LEFT, y + 10, f"{name}: {len(run.sales)} sales of {len(times)} items, {twice} of them sold more than once", "name")
        width = (RIGHT - LEFT) / len(times)
        bars = {"holding": "", "twice": ""}
        for i, n in enumerate(times):
            x = LEFT + width * i
            if n > 0:
                bars["holding"] += f"M{x:.1f} {bottom:.1f}v-{unit:.1f}h{width * 0.85:.1f}v{unit:.1f}z"
            if n > 1:
                bars["twice"] += f"M{x:.1f} {bottom - unit:.1f}v-{unit * (n - 1):.1f}h{width * 0.85:.1f}v{unit * (n - 1):.1f}z"
        self.lines += [f'<path d="{path}" class="{style}"/>' for style, path in bars.items() if path]
        self.line(LEFT, bottom, RIGHT, bottom, "grid")
        self.text(LEFT - 10, bottom - unit / 2 + 4, "once", "muted", "end")
        if most > 2:
            self.text(LEFT - 10, bottom - unit * most + 8, f"{most} times", "muted", "end")
        self.text(LEFT, bottom + 14, "item 1", "muted")
        self.text(RIGHT, bottom + 14, f"item {len(times)}", "muted", "end")
        return bottom + 28


def to_svg(run, without_lock):
    page, marks = Svg(), marks_of(run)
    title = f"{run.workers} workers sell {run.items} items under one lock"
    origin = time.strftime("%H:%M:%S", time.gmtime(run.server_time)) + f"{run.server_time % 1:.3f}"[1:]
    guarded = run.first("killed_guarded")
    guardian = f" Worker {guarded.worker} has a guardian: a process that closes its session when it dies." if guarded else ""
    page.text(MARGIN, 32, title, "title")
    page.text(MARGIN, 52, f"On {run.kind().where}. Each row is a process. 0 s is {origin} UTC by {run.kind().clock}; the session "
              f"timeout is {in_seconds(run.session_timeout)}.{guardian}", "muted")  # fmt: skip
    x = MARGIN
    for style, text in {"waiting": "waits in the queue", "holding": "holds the lock (fencing token)",
                        "left_behind": "dead or lease over, still first in the queue",
                        "overdue": "past its lease, lock with others", "stopped": "process stopped"}.items():  # fmt: skip
        page.box(x, 66, 22, 12, style)
        page.text(x + 28, 76, text, "name")
        x += 48 + text_width(text)
    y = 100
    for panel in panels_of(run, marks):
        y = page.panel(panel, run, marks, y)
    page.text(MARGIN, y + 12, "How often each item was sold", "heading")
    y = page.sales(without_lock, "Without a lock", page.sales(run, "With the lock", y + 20) + 6) + 10
    body = "\n".join(page.lines)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y:.0f}" width="{WIDTH}" height="{y:.0f}" role="img">\n'
            f"<title>{title}</title>\n<style>{STYLE}</style>\n"
            f'<rect width="{WIDTH}" height="{y:.0f}" class="ground"/>\n{body}\n</svg>\n')  # fmt: skip


def cell_of(spans, begin, end):
    """Returns a character for the time of a worker from `begin` to `end`. The longer the worker holds the lock, the
    fuller is the character.
    """
    share = {}
    for kind, at, to, _ in spans:
        share[kind] = share.get(kind, 0) + max(0, min(to, end) - max(at, begin)) / max(1, end - begin)
    if share.get("overdue", 0) > 0:
        return "!"
    if share.get("left_behind", 0) > 0.5:
        return "~"
    holding = share.get("holding", 0)
    return "█" if holding >= 0.5 else "▓" if holding >= 0.15 else "▒" if holding > 0 else "░" if share.get("waiting", 0) > 0 else " "


def to_text(run, width):
    text, marks, holds = "", marks_of(run), run.holds()
    for panel in panels_of(run, marks):
        pieces = pieces_of(panel, 10, width - 1, 3)
        text += panel.title + "\n"
        for worker in range(1, run.workers + 1):
            spans, row = spans_of(worker, run, holds), [" "] * width
            for p in pieces:
                first, last = round(p.left), round(p.right)
                for i in range(first, last):
                    at = [p.begin + (p.end - p.begin) * (n - first) // (last - first) for n in (i, i + 1)]
                    row[i] = cell_of(spans, *at)
                for mark in marks:
                    if mark.worker == worker and mark.kind in BAD[:2] + SLOW and p.contains(mark.at):
                        row[min(last - 1, int(p.x(mark.at)))] = {"stopped": "‖", "resumed": "▶"}.get(mark.kind, "✗")
            text += f"worker {worker}".ljust(10) + "".join(row[10:]) + "\n"
        row = [" "] * width
        for p in pieces:
            for x, tick in p.ticks(run.began, 12):
                if x + 1 + len(tick) <= p.right:
                    row[int(x) : int(x) + 1 + len(tick)] = "╵" + tick
        text += "".join(row).rstrip() + "\n"
        for mark in marks:
            if not panel.shows_all and any(p.contains(mark.at) for p in pieces):
                text += f"{'':10}{(mark.at - run.began) / SECOND:7.3f} s  {mark.text}\n"
        text += "\n"
    return text + "░ waits   ▒▓█ holds (the fuller, the longer)   ~ dead or lease over, still first in the queue   ! past its lease\n"
