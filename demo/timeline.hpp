// SPDX-License-Identifier: Apache-2.0
// timeline: which worker waited and which held when, as shapes that both pictures (SVG and terminal) draw.
//
// 500 sales take seconds and a dead holder's lease takes seconds too, while one hold takes
// milliseconds: no single scale shows them all. So there is one panel for the whole run, and one
// each for a moment looked at closely, whose axis leaves out the time in which nothing happens.
#pragma once

#include <string>
#include <vector>

#include "record.hpp"

namespace demo {

enum class span_kind {
    waiting,
    holding,
    left_behind,  // its process is dead or its lease over, its znode still blocks the queue
    overdue,      // in the critical section although the lease is over
};

struct span {
    span_kind kind = span_kind::waiting;
    time_point from{};
    time_point to{};
    turnstile::fencing_token token;  // of a hold
};

struct lane {
    int worker = 0;
    std::vector<span> spans;  // in order of time, not overlapping
};

enum class mark_kind {
    killed,
    stopped,
    resumed,
    server_killed,
    server_back,
    lease_over,
    handed_over,
    refused,
    back
};

struct mark {
    mark_kind kind = mark_kind::killed;
    int worker = 0;
    time_point at{};
    std::string text;
};

struct segment {
    time_point from{};
    time_point to{};
};

struct panel {
    std::string title;
    std::vector<segment> segments;  // in order of time; what lies between two is left out
    bool shows_all = false;         // the whole run in one segment
};

struct timeline {
    time_point origin{};           // 0 on the axis
    std::string origin_text;       // what the servers' clock said then
    std::vector<lane> lanes;       // by worker
    std::vector<segment> stopped;  // SIGSTOP to SIGCONT, of `stopped_worker`
    int stopped_worker = 0;
    std::vector<mark> marks;  // in order of time
    std::vector<panel> panels;
};

[[nodiscard]] timeline make_timeline(const run_record& run);

// Places the segments of a panel side by side, equally wide, on [left, right], `gap` apart.
class axis {
public:
    axis(const panel& source, double left, double right, double gap);

    struct piece {
        segment time;
        double left = 0;
        double right = 0;

        [[nodiscard]] bool contains(time_point t) const { return time.from <= t && t <= time.to; }
        [[nodiscard]] double at(time_point t) const;  // clamped to the piece
        [[nodiscard]] time_point time_at(double x) const;
    };
    [[nodiscard]] const std::vector<piece>& pieces() const noexcept { return pieces_; }

private:
    std::vector<piece> pieces_;
};

// Round instants within the piece, counted from `origin`, at least `apart` from each other.
struct tick {
    double x = 0;
    std::string text;  // "4.25 s", as many decimals as the distance needs
};
[[nodiscard]] std::vector<tick> ticks_of(const axis::piece& piece, time_point origin, double apart);

}  // namespace demo
