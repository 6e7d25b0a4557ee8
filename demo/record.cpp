// SPDX-License-Identifier: Apache-2.0
#include "record.hpp"

#include <algorithm>
#include <map>

namespace demo {

namespace {

// What one worker is at, while its events are read.
struct progress_of_worker {
    time_point asked{};
    std::optional<hold> current;
};

void finish(progress_of_worker& worker, time_point at, ending how, std::vector<hold>& done) {
    if (!worker.current) return;
    auto& current = *worker.current;
    current.left = at;
    if (current.how != ending::lost) {
        current.to = at;
        current.how = how;
    }
    done.push_back(current);
    worker.current.reset();
}

void mark_lost(progress_of_worker& worker, const event& e) {
    if (!worker.current) return;
    worker.current->how = ending::lost;
    worker.current->to = time_point{duration{e.number}};
}

}  // namespace

std::vector<hold> holds_of(const run_record& run) {
    std::map<int, progress_of_worker> workers;
    std::vector<hold> done;
    for (const auto& e : run.events) {
        auto& worker = workers[e.worker];
        switch (e.kind) {
            case event_kind::asked: worker.asked = e.at; break;
            case event_kind::granted:
                worker.current = hold{e.worker, e.token, e.number, e.epoch,     worker.asked,
                                      e.at,     e.at,    e.at,     ending::open};
                break;
            case event_kind::lost: mark_lost(worker, e); break;
            case event_kind::released: finish(worker, e.at, ending::released, done); break;
            case event_kind::killed:
            case event_kind::killed_again:
            case event_kind::killed_guarded: finish(worker, e.at, ending::killed, done); break;
            default: break;
        }
    }
    for (auto& [index, worker] : workers) finish(worker, run.ended, ending::open, done);
    std::stable_sort(done.begin(), done.end(),
                     [](const hold& a, const hold& b) { return a.from < b.from; });
    return done;
}

std::optional<hold> hold_at(const run_record& run, int worker, time_point at) {
    std::optional<hold> found;
    for (const auto& h : holds_of(run)) {
        if (h.worker == worker && h.from <= at) found = h;
    }
    return found;
}

std::optional<event> first_of(const run_record& run, event_kind kind) {
    const auto found = std::find_if(run.events.begin(), run.events.end(),
                                    [kind](const event& e) { return e.kind == kind; });
    if (found == run.events.end()) return std::nullopt;
    return *found;
}

std::optional<event> after_pause(const run_record& run, event_kind kind) {
    const auto stopped = first_of(run, event_kind::stopped);
    if (!stopped) return std::nullopt;
    for (const auto& e : run.events) {
        if (e.kind == kind && e.worker == stopped->worker && e.at >= stopped->at) return e;
    }
    return std::nullopt;
}

std::optional<hand_over> hand_over_after(const run_record& run, event_kind cause) {
    const auto e = first_of(run, cause);
    if (!e) return std::nullopt;
    for (const auto& h : holds_of(run)) {
        if (h.from > e->at) return hand_over{*e, h, h.from - e->at};
    }
    return std::nullopt;
}

}  // namespace demo
