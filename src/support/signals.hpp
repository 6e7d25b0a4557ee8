// SPDX-License-Identifier: Apache-2.0
// block_signals, signal_mask: which signals the library's threads block.
//
// | threads                                  | mask                                                  |
// |------------------------------------------|-------------------------------------------------------|
// | threads that run user code               | signal_mask, from the thread that made the client     |
// | all others, also the C client's          | all signals are blocked, except k_fault_signals       |
//
// The kernel sends a fault's signal to the thread that caused the fault. If that thread blocked the signal, the process
// would end without running the program's handler. User code runs with the program's own mask, because a child that
// user code starts inherits the mask of the starting thread.
//
// Thread safety: one object, one thread; a signal_mask is a value.
#pragma once

#include <array>
#include <csignal>

namespace turnstile::support {

// The signals of a fault, each of which is for the thread that has caused the fault. SIGPROF of a profiling timer is
// not in this list, because it is not for a particular thread, and would interrupt system calls of the library.
inline constexpr std::array k_fault_signals{SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                            SIGABRT, SIGTRAP, SIGSYS};

// Blocks all signals except the signals of a fault for the calling thread while this object lives. Threads that the
// calling thread starts meanwhile inherit this mask.
class block_signals {
public:
    block_signals() noexcept {
        sigset_t most;
        ::sigfillset(&most);
        for (const int number : k_fault_signals) ::sigdelset(&most, number);
        ::pthread_sigmask(SIG_SETMASK, &most, &before_);
    }
    ~block_signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    block_signals(const block_signals&) = delete;
    block_signals& operator=(const block_signals&) = delete;

private:
    sigset_t before_{};
};

class signal_mask {
public:
    [[nodiscard]] static signal_mask of_this_thread() noexcept {
        signal_mask found;
        ::pthread_sigmask(SIG_SETMASK, nullptr, &found.blocked_);
        return found;
    }
    void apply() const noexcept { ::pthread_sigmask(SIG_SETMASK, &blocked_, nullptr); }

private:
    signal_mask() = default;
    sigset_t blocked_{};
};

}  // namespace turnstile::support
