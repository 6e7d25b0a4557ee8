// SPDX-License-Identifier: Apache-2.0
// reader: reads all locks from the servers, once for all browsers together.
//
// A thread reads all locks in rounds (turnstile/tools/rolling_survey.hpp), and publishes each round's result as an
// immutable snapshot. If the servers do not answer, the last snapshot stays and is marked as stale.
//
// Thread safety: all members from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "admin/reading/history.hpp"
#include "admin/reading/snapshot.hpp"
#include "admin/reading/survey_plan.hpp"
#include "admin/reading/wait_graph.hpp"
#include "turnstile/client.hpp"
#include "turnstile/tools/rolling_survey.hpp"

namespace turnstile::admin {

struct view {
    shared_snapshot seen;  // null before the first survey
    bool stale = true;
    std::string problem{};  // why the snapshot is stale
    // The servers' clock minus this machine's clock. All times of a snapshot are by the servers' clock.
    std::chrono::system_clock::duration clock_ahead{};
    std::uint64_t change = 0;  // counts snapshots, and changes between fresh and stale
};

struct reading_counts {
    std::uint64_t rounds = 0;
    std::uint64_t failed_rounds = 0;
    std::uint64_t requests = 0;      // from this server to the ensemble, of every kind
    double requests_per_second = 0;  // over about ten seconds
};

class reader {
public:
    reader(client& servers, const reading_settings& settings);
    ~reader();
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;

    // Returns the latest result for a user. Records that a user watches the page, so the next read of the locks comes
    // sooner.
    [[nodiscard]] view look();
    // Records that a user watches the locks at this path. For a while, each round of reads then includes them.
    void look_at(const std::string& path);
    // Returns the latest result for a monitoring program. Does not record that a user watches the page.
    [[nodiscard]] view latest() const;
    // Waits until `view::change` differs from `known`, or until the reader ends. Returns the new value. Does not record
    // that a user watches the page.
    [[nodiscard]] std::uint64_t wait_for_change(std::uint64_t known) const;

    // Calls read(history) while the mutex is locked, and returns the result.
    template <class F>
    [[nodiscard]] auto from_history(F&& read) const {
        const std::lock_guard lock{mutex_};
        return read(history_);
    }
    [[nodiscard]] wall_time looking_since() const;
    void note_taken(const lock_key& lock, const std::string& znode);
    // Returns the graph of waits in the last snapshot. The reader computes it once for each snapshot.
    [[nodiscard]] std::shared_ptr<const wait_graph> graph();

    [[nodiscard]] reading_counts counts() const;

    // Ends the thread that reads the locks, and all calls of wait_for_change().
    void end();
    [[nodiscard]] bool over() const;
    [[nodiscard]] std::stop_token ending() const { return stop_.get_token(); }

private:
    void run();
    // Reads from the servers once (a round), and publishes the result. Returns the pause until the next round.
    [[nodiscard]] std::chrono::milliseconds go_on();
    // Returns the paths that users watch. Drops the paths that they no longer watch.
    [[nodiscard]] std::vector<std::string> take_looked_at(boottime_clock::time_point now);
    void publish(lock_survey survey, const survey_round& round, boottime_clock::time_point start);
    void count_rate(boottime_clock::time_point now);
    void read_clock();
    void mark_stale(std::string problem);
    void on_session(session_state state);
    [[nodiscard]] bool watched(boottime_clock::time_point now) const;
    void pause(std::chrono::milliseconds wanted);

    client& servers_;
    const reading_settings settings_;
    rolling_survey locks_;   // used by the thread only
    request_budget budget_;  // used by the thread only

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    view view_;
    std::map<std::string, boottime_clock::time_point> looked_at_;
    history history_;
    std::optional<wall_time> looking_since_;
    latest_graph graph_;
    reading_counts counts_;
    std::deque<std::pair<boottime_clock::time_point, std::uint64_t>>
        sent_;  // times, with request totals
    boottime_clock::time_point last_look_{};
    bool attached_again_ = false;  // after an outage: the next round makes the view fresh

    std::stop_source stop_;
    listener_handle listener_;
    std::thread thread_;
};

}  // namespace turnstile::admin
