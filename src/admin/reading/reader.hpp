// SPDX-License-Identifier: Apache-2.0
// reader: the one that asks the servers, however many browsers look.
//
// A thread surveys all locks again and again and publishes each survey as a snapshot that never changes. The first one
// lists names only, so that there is something to see soon. When the servers do not answer the last snapshot stays, and
// is called stale.
//
// Thread safety: all members from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "admin/reading/history.hpp"
#include "admin/reading/snapshot.hpp"
#include "admin/reading/survey_plan.hpp"
#include "admin/reading/wait_graph.hpp"
#include "turnstile/client.hpp"

namespace turnstile::admin {

struct view {
    shared_snapshot seen;  // none before the first survey
    bool stale = true;
    std::string problem{};     // why it is stale
    std::uint64_t change = 0;  // counts snapshots, and turns from fresh to stale and back
};

struct reading_counts {
    std::uint64_t surveys = 0;
    std::uint64_t failed_surveys = 0;
    std::uint64_t requests = 0;
    double requests_per_second = 0;  // of the last survey and the pause behind it
};

class reader {
public:
    reader(client& servers, const reading_settings& settings);
    ~reader();
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;

    // What there is now. A person looks: the next survey comes sooner.
    [[nodiscard]] view look();
    // The same for a program that measures: it does not count as a look.
    [[nodiscard]] view latest() const;
    // As soon as its `change` is another one than `known`, at `deadline` at the latest, or when the reader ends.
    [[nodiscard]] view wait_for_change(std::uint64_t known, boottime_clock::time_point deadline);

    [[nodiscard]] std::optional<std::vector<hold_span>> history_of(const lock_key& lock) const;
    [[nodiscard]] wall_time looking_since() const;
    void note_taken(const lock_key& lock, const std::string& znode);
    // Of the last snapshot; computed once for each.
    [[nodiscard]] std::shared_ptr<const wait_graph> graph();

    // Requests that another part sent.
    void count_requests(std::uint64_t more);
    [[nodiscard]] reading_counts counts() const;

    // Ends the thread and all that wait.
    void end();
    [[nodiscard]] bool over() const;
    [[nodiscard]] std::stop_token ending() const { return stop_.get_token(); }

private:
    void run();
    // The time until the next survey.
    [[nodiscard]] std::chrono::milliseconds survey();
    [[nodiscard]] std::size_t depth_now() const;
    void publish(lock_survey survey, survey_depth depth, const survey_cost& cost);
    void mark_stale(std::string problem);
    void on_session(session_state state);
    [[nodiscard]] bool watched(boottime_clock::time_point now) const;
    void pause(std::chrono::milliseconds wanted);

    client& servers_;
    const reading_settings settings_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    view view_;
    shared_snapshot before_;  // the snapshot before that of view_
    history history_;
    std::optional<wall_time> looking_since_;
    std::shared_ptr<const wait_graph> graph_;
    std::uint64_t graph_version_ = 0;
    reading_counts counts_;
    boottime_clock::time_point last_look_{};
    std::size_t waiting_ = 0;  // in wait_for_change

    std::stop_source stop_;
    listener_handle listener_;
    std::thread thread_;
};

}  // namespace turnstile::admin
