// SPDX-License-Identifier: Apache-2.0
// For tests of a client whose allocations fail: the client's environment, and the cycles (sequences of calls) that the
// tests run.
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

// The result of an asynchronous call. It outlives the client, so that a test notices a handler that runs too late.
struct answer {
    std::atomic<int> handled{0};
    std::atomic<bool> thrown{false};
    event told;
    guard hold;  // the handler's hold
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

// The servers and the paths that a cycle (a sequence of calls) uses.
struct place {
    std::string servers;  // connect string
    std::string root;     // beginning of all paths
    std::function<void(const client&)> end_session;
};

// Two clients of the servers in `place`, and three clients with separate trees in memory. All five clients exist before
// memory fails.
class scene {
public:
    explicit scene(place at);
    scene(const scene&) = delete;
    scene& operator=(const scene&) = delete;

    // Starts a call. async_acquire() may throw, and so may this function.
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
    // Returns an event that outlives its callbacks.
    event& new_event() { return events_.at(events_used_++); }
    [[nodiscard]] std::string at(const char* path) const { return where.root + path; }
    // Cuts all of this process's connections to servers.
    void break_links() const;
    // Must be called after the clients are destroyed. Checks that no call both threw an exception and called its
    // handler.
    void end();

    const std::chrono::milliseconds patience;  // time limit of a call and of its handler
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
