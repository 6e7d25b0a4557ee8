// SPDX-License-Identifier: Apache-2.0
// For tests of a client while allocations fail: the client's environment, and the sequences ("cycles") of calls that
// the tests run.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "failing_memory.hpp"
#include "support.hpp"

namespace turnstile::tests {

// The answer of an asynchronous call. The object outlives the client, so that a test sees a handler that runs too late.
struct answer {
    std::atomic<int> handled{0};
    std::atomic<bool> thrown{false};
    event told;
    guard hold;  // the hold that the handler got
    bool granted = false;
    errc why{};

    void take(result<guard>&& outcome) {
        granted = static_cast<bool>(outcome);
        if (granted) {
            hold = std::move(*outcome);
        } else {
            why = outcome.error().code();
        }
        ++handled;
        told.set();
    }
};

// The servers and the path at which the cycles of calls run.
struct place {
    std::string servers;  // the servers' connect string
    std::string root;     // the start of all paths
    std::function<void(const client&)> end_session;
};

// Two clients of one tree, and three clients of other trees in memory. All exist before memory fails.
class scene {
public:
    explicit scene(place at);
    scene(const scene&) = delete;
    scene& operator=(const scene&) = delete;

    // Starts a call. async_acquire() may return or throw, and so may this function.
    template <class Lock>
    answer& start(Lock&& lock, acquire_options options) {
        auto& mine = answers_.at(used_++);
        try {
            lock.async_acquire(std::move(options),
                               [&mine](result<guard> outcome) { mine.take(std::move(outcome)); });
        } catch (const std::bad_alloc&) {
            mine.thrown = true;
            throw;
        }
        return mine;
    }
    guard granted(answer& call) const;
    // Returns an event that outlives the callbacks that set it.
    event& new_event() { return events_.at(events_used_++); }
    [[nodiscard]] std::string at(const char* path) const { return where.root + path; }
    // Cuts all connections of this process to servers.
    void break_links() const;
    // Call this after the clients are destroyed. Checks that no call has both thrown and called its handler.
    void end();

    const std::chrono::milliseconds patience;  // time limit for a call, and for its handler
    const place where;
    std::unique_ptr<client> servers;
    std::unique_ptr<client> others;
    std::vector<std::unique_ptr<client>> ensembles;

private:
    std::array<answer, 32> answers_;
    std::size_t used_ = 0;
    std::array<event, 32> events_;
    std::size_t events_used_ = 0;
};

using cycle_function = void (*)(scene&);
struct named_cycle {
    const char* name;
    cycle_function play;
};
const std::vector<named_cycle>& all_cycles();

}  // namespace turnstile::tests
