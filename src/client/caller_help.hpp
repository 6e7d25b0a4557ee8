// SPDX-License-Identifier: Apache-2.0
// caller_help: lets a caller that waits for its session's servers read their answer itself.
//
// Without it, the session's thread wakes, reads the answer, and wakes the caller. On an idle processor a sleeping
// thread takes as long to wake as a nearby server takes to answer. The caller reads only at the start of its wait:
// while it reads, neither boost::thread::interrupt() nor the condition variable can wake it.
//
// Thread safety: a value of the waiting thread.
#pragma once

#include <chrono>

#include "base/mutex.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::detail {

// The session whose answers a blocked caller may read.
class answer_reader {
public:
    [[nodiscard]] virtual bool takes_help() const noexcept = 0;
    // Reads in the calling thread, at the latest until `until` (coordinator_session::help).
    [[nodiscard]] virtual bool help(boottime_clock::time_point until) noexcept = 0;

protected:
    ~answer_reader() = default;
};

class caller_help {
public:
    // Null: the caller has no session to read from.
    explicit caller_help(answer_reader* session) noexcept;

    // Called under the lock that guards the awaited state. Returns true if it has unlocked in between: check the state
    // again. Returns false if the caller must wait for the condition variable.
    [[nodiscard]] bool go_on(base::unique_lock& held,
                             boottime_clock::time_point deadline =
                                 boottime_clock::time_point::max()) NO_THREAD_SAFETY_ANALYSIS;

private:
    // A nearby server answers within this time. For a server that is further away, the thread's wake-up hardly matters.
    static constexpr std::chrono::milliseconds k_longest{2};

    answer_reader* session_;              // null: no session that takes help, or the time is over
    boottime_clock::time_point until_{};  // set by the first call
};

}  // namespace turnstile::detail
