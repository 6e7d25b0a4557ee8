// SPDX-License-Identifier: Apache-2.0
// caller_help: lets a caller that waits for an answer of its session's servers read that answer itself.
//
// Without this class, the session's thread wakes, reads the answer, and wakes the caller. On an idle processor a thread
// takes as long to wake as a nearby server takes to answer. The caller reads only at the start of its wait, because
// neither boost::thread::interrupt() nor the condition variable can wake it while it reads.
//
//     answer_reader   the session from whose connection the caller reads
//
// Thread safety: a value of the waiting thread.
#pragma once

#include <chrono>

#include "base/mutex.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::detail {

// A session from whose connection a blocked caller may read.
class answer_reader {
public:
    [[nodiscard]] virtual bool takes_help() const noexcept = 0;
    // Reads answers in the calling thread until `until` at the latest (coordinator_session::help).
    [[nodiscard]] virtual bool help(boottime_clock::time_point until) noexcept = 0;

protected:
    ~answer_reader() = default;
};

class caller_help {
public:
    // `session`: null if there is no session from which the caller could read.
    explicit caller_help(answer_reader* session) noexcept;

    // Reads answers for at most k_longest. Called under the lock that guards the awaited state. Returns true if it
    // released the lock in between, so that the caller must check the state again. Returns false if the caller must
    // wait for its condition variable.
    [[nodiscard]] bool go_on(base::unique_lock& held,
                             boottime_clock::time_point deadline =
                                 boottime_clock::time_point::max()) NO_THREAD_SAFETY_ANALYSIS;

private:
    // The caller reads for this time at most. A nearby server answers within this time. If a server needs more time,
    // the time to wake a thread hardly matters.
    static constexpr std::chrono::milliseconds k_longest{2};

    answer_reader* session_;              // null: the session takes no help, or the time is over
    boottime_clock::time_point until_{};  // set by the first call
};

}  // namespace turnstile::detail
