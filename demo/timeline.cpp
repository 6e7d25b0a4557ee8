// SPDX-License-Identifier: Apache-2.0
#include "timeline.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "text.hpp"

namespace demo {

namespace {

using std::chrono::milliseconds;

// The grant after the one at `holds[i]`, or the end of the run.
time_point next_grant(const std::vector<hold>& holds, std::size_t i, time_point end) {
    return i + 1 < holds.size() ? holds[i + 1].from : end;
}

lane lane_of(int worker, const std::vector<hold>& holds, time_point end) {
    lane result{worker, {}};
    const auto add = [&](span_kind kind, time_point from, time_point to, const hold& h) {
        if (to > from) result.spans.push_back({kind, from, to, h.token});
    };
    for (std::size_t i = 0; i < holds.size(); ++i) {
        const auto& h = holds[i];
        if (h.worker != worker) continue;
        add(span_kind::waiting, h.asked, h.from, h);
        add(span_kind::holding, h.from, h.to, h);
        const auto next = next_grant(holds, i, end);
        if (h.how == ending::killed) add(span_kind::left_behind, h.to, next, h);
        if (h.how == ending::lost) {
            add(span_kind::left_behind, h.to, std::min(next, h.left), h);
            add(span_kind::overdue, std::min(next, h.left), h.left, h);
        }
    }
    return result;
}

mark grant_mark(const hand_over& over) {
    return {mark_kind::handed_over, over.next.worker, over.next.from,
            fmt::format("worker {} granted {}, {} later", over.next.worker,
                        over.next.token.to_string(), in_milliseconds(over.took))};
}

void add_kill_marks(const run_record& run, event_kind cause, std::vector<mark>& marks) {
    const auto over = hand_over_after(run, cause);
    if (!over) return;
    const auto worker = over->cause.worker;
    marks.push_back(
        {mark_kind::killed, worker, over->cause.at,
         fmt::format("SIGKILL worker {}{}", worker,
                     cause == event_kind::killed_guarded ? ", which has a guardian" : "")});
    marks.push_back(grant_mark(*over));
}

void add_server_marks(const run_record& run, std::vector<mark>& marks) {
    const auto killed = first_of(run, event_kind::server_killed);
    const auto back = first_of(run, event_kind::server_back);
    if (!killed || !back) return;
    marks.push_back(
        {mark_kind::server_killed, killed->worker, killed->at, "SIGKILL of the server"});
    marks.push_back(
        {mark_kind::server_back, back->worker, back->at,
         fmt::format("the server is back, {} later", in_milliseconds(back->at - killed->at))});
}

void add_pause_marks(const run_record& run, std::vector<mark>& marks) {
    const auto over = hand_over_after(run, event_kind::stopped);
    const auto resumed = first_of(run, event_kind::resumed);
    if (!over || !resumed) return;
    const auto worker = over->cause.worker;
    marks.push_back(
        {mark_kind::stopped, worker, over->cause.at, fmt::format("SIGSTOP worker {}", worker)});
    marks.push_back(grant_mark(*over));
    marks.push_back({mark_kind::resumed, worker, resumed->at, "SIGCONT"});
    if (const auto lost = after_pause(run, event_kind::lost)) {
        marks.push_back({mark_kind::lease_over, worker, time_point{duration{lost->number}},
                         fmt::format("worker {}: lease over", worker)});
    }
    if (const auto refused = after_pause(run, event_kind::refused)) {
        marks.push_back({mark_kind::refused, worker, refused->at,
                         fmt::format("write with {} refused", refused->token.to_string())});
    }
    for (const auto& h : holds_of(run)) {
        if (h.worker != worker || h.from < resumed->at) continue;
        marks.push_back({mark_kind::back, worker, h.from,
                         fmt::format("worker {} is back: {}", worker, h.token.to_string())});
        break;
    }
}

const mark* find_mark(const std::vector<mark>& marks, mark_kind kind, time_point after = {}) {
    const auto found = std::find_if(marks.begin(), marks.end(),
                                    [&](const mark& m) { return m.kind == kind && m.at >= after; });
    return found == marks.end() ? nullptr : &*found;
}

// Some holds of everyday work before the first disturbance, few enough for each to be seen.
panel everyday_panel(const std::vector<hold>& holds, int workers) {
    const auto disturbed = std::find_if(holds.begin(), holds.end(),
                                        [](const hold& h) { return h.how != ending::released; });
    const auto before = static_cast<std::size_t>(disturbed - holds.begin());
    const auto shown = std::min(before, 2 * static_cast<std::size_t>(workers) + 2);
    const auto first = (before - shown) / 2;
    return {"Everyday work: one holds, the others queue, first come, first served",
            {{holds[first].from - milliseconds{1}, holds[first + shown - 1].to}},
            false};
}

constexpr milliseconds k_before{30};
constexpr milliseconds k_after{60};

segment around(time_point at) {
    return {at - k_before, at + k_after};
}

// The kill and the grant after it: two moments, or a single one if they are close together.
panel kill_panel(const std::string& title, const hand_over& over) {
    if (over.took > k_before + k_after)
        return {title, {around(over.cause.at), around(over.next.from)}, false};
    return {title, {{over.cause.at - k_before, over.next.from + k_after}}, false};
}

}  // namespace

timeline make_timeline(const run_record& run) {
    timeline t;
    t.origin = run.began;
    t.origin_text = fmt::format(
        "{:%H:%M:%S}.{:03} UTC", std::chrono::floor<std::chrono::seconds>(run.server_time),
        std::chrono::floor<milliseconds>(run.server_time).time_since_epoch().count() % 1000);
    const auto holds = holds_of(run);
    for (int worker = 1; worker <= run.settings.workers; ++worker) {
        t.lanes.push_back(lane_of(worker, holds, run.ended));
    }
    const auto stopped = first_of(run, event_kind::stopped);
    const auto resumed = first_of(run, event_kind::resumed);
    if (stopped && resumed) {
        t.stopped.push_back({stopped->at, resumed->at});
        t.stopped_worker = stopped->worker;
    }
    add_kill_marks(run, event_kind::killed, t.marks);
    add_kill_marks(run, event_kind::killed_guarded, t.marks);
    add_kill_marks(run, event_kind::killed_again, t.marks);
    add_server_marks(run, t.marks);
    add_pause_marks(run, t.marks);
    std::stable_sort(t.marks.begin(), t.marks.end(),
                     [](const mark& a, const mark& b) { return a.at < b.at; });

    t.panels.push_back({"The whole run", {{run.began, run.ended}}, true});
    if (!holds.empty() && holds.front().how == ending::released) {
        t.panels.push_back(everyday_panel(holds, run.settings.workers));
    }
    if (const auto over = hand_over_after(run, event_kind::killed)) {
        t.panels.push_back(
            kill_panel(std::string{words_of(run.settings.servers).first_kill}, *over));
    }
    if (const auto over = hand_over_after(run, event_kind::killed_guarded)) {
        t.panels.push_back(kill_panel(
            "The second kill: this worker has a guardian, which closes its session at once",
            *over));
    }
    if (const auto over = hand_over_after(run, event_kind::killed_again)) {
        t.panels.push_back(kill_panel("The second kill: the same once more", *over));
    }
    if (const auto* killed = find_mark(t.marks, mark_kind::server_killed)) {
        const auto* server = find_mark(t.marks, mark_kind::server_back);
        t.panels.push_back(
            {"The server is killed and started again: nobody else gets the lock meanwhile, and "
             "nobody's "
             "place in the queue is lost",
             {around(killed->at), around(server->at)},
             false});
        // A server that is back at once: one moment.
        if (server->at - killed->at <= k_before + k_after)
            t.panels.back().segments = {{killed->at - k_before, server->at + k_after}};
    }
    if (const auto* pause = find_mark(t.marks, mark_kind::stopped)) {
        const auto* over = find_mark(t.marks, mark_kind::lease_over);
        const auto* next = find_mark(t.marks, mark_kind::handed_over, pause->at);
        const auto* woken = find_mark(t.marks, mark_kind::resumed);
        const auto* back = find_mark(t.marks, mark_kind::back);
        panel p{
            "The pause: the lease ends before the lock is handed over, and a late write is "
            "refused",
            {around(pause->at)},
            false};
        // The worker is woken soon after the hand-over: the two segments may meet, not overlap.
        const auto middle = next->at + (woken->at - next->at) / 2;
        p.segments.push_back({(over != nullptr ? over->at : next->at) - k_before,
                              std::min(next->at + k_after, middle)});
        p.segments.push_back({std::max(woken->at - k_before, middle),
                              (back != nullptr ? back : woken)->at + k_after});
        t.panels.push_back(std::move(p));
    }
    return t;
}

axis::axis(const panel& source, double left, double right, double gap) {
    const auto n = static_cast<double>(source.segments.size());
    const double width = (right - left - gap * (n - 1)) / n;
    double x = left;
    for (const auto& s : source.segments) {
        pieces_.push_back({s, x, x + width});
        x += width + gap;
    }
}

double axis::piece::at(time_point t) const {
    const auto clamped = std::clamp(t, time.from, time.to);
    const double part =
        static_cast<double>((clamped - time.from).count()) /
        static_cast<double>(std::max<duration::rep>(1, (time.to - time.from).count()));
    return left + part * (right - left);
}

time_point axis::piece::time_at(double x) const {
    const double part = (x - left) / (right - left);
    const auto length = static_cast<double>((time.to - time.from).count());
    return time.from + duration{static_cast<duration::rep>(part * length)};
}

std::vector<tick> ticks_of(const axis::piece& piece, time_point origin, double apart) {
    constexpr std::array<int, 15> k_steps_ms{1,   2,    5,    10,   20,    50,    100,  200,
                                             500, 1000, 2000, 5000, 10000, 20000, 60000};
    const double per_ms =
        (piece.right - piece.left) /
        std::chrono::duration<double, std::milli>{piece.time.to - piece.time.from}.count();
    const auto* const step = std::find_if(k_steps_ms.begin(), k_steps_ms.end() - 1,
                                          [&](int ms) { return ms * per_ms >= apart; });
    const int decimals = *step >= 1000 ? 0 : *step >= 100 ? 1 : *step >= 10 ? 2 : 3;
    std::vector<tick> ticks;
    const auto since = [&](time_point t) {
        return std::chrono::duration<double, std::milli>{t - origin}.count();
    };
    const double last = since(piece.time.to);
    for (double at = std::ceil(since(piece.time.from) / *step) * *step; at <= last; at += *step) {
        const auto t = origin + duration{static_cast<duration::rep>(at * 1e6)};
        ticks.push_back({piece.at(t), fmt::format("{:.{}f} s", at / 1e3 + 0.0, decimals)});
    }
    return ticks;
}

}  // namespace demo
