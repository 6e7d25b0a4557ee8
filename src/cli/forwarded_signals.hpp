// SPDX-License-Identifier: Apache-2.0
// forwarded_signals: receives the signals that a `turnstile` command handles or forwards, through a descriptor.
//
// | signals_taken | the object receives                                                                        |
// |---------------|--------------------------------------------------------------------------------------------|
// | usual         | TERM, INT, HUP, QUIT, USR1, USR2, CONT                                                     |
// | all           | every signal that can be caught, also real-time signals. Exceptions: the signals of job    |
// |               | control (TSTP, TTIN, TTOU), CHLD, and fault signals (support/signals.hpp)                  |
#pragma once

#include <csignal>

#include "support/descriptor.hpp"

namespace turnstile::cli {

enum class signals_taken { usual, all };

class forwarded_signals {
public:
    // Blocks the signals for this thread and for threads that it starts later. Signals that were ignored stay ignored
    // (nohup). Throws std::system_error.
    explicit forwarded_signals(signals_taken which = signals_taken::usual);

    [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }
    // Returns the signal mask before this object was made. The command starts with that mask.
    [[nodiscard]] const sigset_t& mask_before() const noexcept { return before_; }
    // Returns the next signal that has arrived, or 0.
    [[nodiscard]] int next() const noexcept;
    // Waits for a signal for which ends_wait() is true.
    void wait_for_end() const noexcept;
    // True if the signal ends the wait for a lock, because it would end a process that does not catch it. USR1, USR2
    // and real-time signals have a meaning only for the command, and do not end the wait.
    [[nodiscard]] static bool ends_wait(int signal) noexcept;

private:
    sigset_t before_{};
    support::descriptor descriptor_;
};

}  // namespace turnstile::cli
