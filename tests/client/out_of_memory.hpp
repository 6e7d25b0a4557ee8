// SPDX-License-Identifier: Apache-2.0
// What happens to a client while memory fails: its scene, and the cycles of calls that are played in it.
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

// What an asynchronous call has said. It outlives the client, so that a handler that comes too late is seen.
struct answer {
    std::atomic<int> handled{0};
    std::atomic<bool> thrown{false};
    event told;
    guard hold;  // what the handler got
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

// Where the cycles are played.
struct place {
    std::string servers;  // a connect string
    std::string root;     // what all paths begin with
    std::function<void(const client&)> end_session;
};

// Two clients of one tree, and three of others in memory, made before memory fails.
class scene {
public:
    explicit scene(place at);
    scene(const scene&) = delete;
    scene& operator=(const scene&) = delete;

    // Both return, or throw what the call throws.
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
    // One that outlives the callbacks that set it.
    event& new_event() { return events_.at(events_used_++); }
    [[nodiscard]] std::string at(const char* path) const { return where.root + path; }
    // Of this process with servers, now.
    void break_links() const;
    // After the clients have gone: no call has thrown, and called its handler.
    void end();

    const std::chrono::milliseconds patience;  // of each call, and of a wait for a handler
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
