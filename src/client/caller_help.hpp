// SPDX-License-Identifier: Apache-2.0
// caller_help: one wait of a caller for what its session's servers answer, in which it reads the answers itself.
//
// Without it the session's own thread is woken, reads, and wakes the caller: a thread that sleeps on an idle processor
// takes as long to wake as a server nearby takes to answer. The help is for the first moments of a wait alone, since a
// thread that reads hears of nothing else: neither of boost::thread::interrupt() nor of the condition that it waits for.
//
// Thread safety: a value of the waiting thread.
#pragma once

#include <chrono>

#include "base/mutex.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::detail {

// The session whose answers a waiting caller may read.
class answer_reader {
public:
    [[nodiscard]] virtual bool takes_help() const noexcept = 0;
    // Reads in the calling thread until `until` at the latest (coordinator_session::help).
    [[nodiscard]] virtual bool help(boottime_clock::time_point until) noexcept = 0;

protected:
    ~answer_reader() = default;
};

class caller_help {
public:
    // Null: there is no such session.
    explicit caller_help(answer_reader* session) noexcept;

    // Under the lock that guards what the caller waits for. True: it was let go meanwhile, so look again. False: wait for
    // the condition.
    [[nodiscard]] bool go_on(base::unique_lock& held,
                             boottime_clock::time_point deadline =
                                 boottime_clock::time_point::max()) NO_THREAD_SAFETY_ANALYSIS;

private:
    // A server nearby has answered by then; of one that is further away the thread's wake-up is the smaller part.
    static constexpr std::chrono::milliseconds k_longest{2};

    answer_reader* session_;              // null: none that takes help, or no more
    boottime_clock::time_point until_{};  // at the first call
};

}  // namespace turnstile::detail
