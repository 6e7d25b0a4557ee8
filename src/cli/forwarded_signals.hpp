// SPDX-License-Identifier: Apache-2.0
// forwarded_signals: reads from a descriptor the signals that a `turnstile` command handles or forwards.
//
// | signals taken | which                                                                                      |
// |---------------|--------------------------------------------------------------------------------------------|
// | usual         | TERM, INT, HUP, QUIT, USR1, USR2, CONT                                                     |
// | all           | every signal that can be caught, real-time signals included, except job control's (TSTP,   |
// |               | TTIN, TTOU), CHLD, and fault signals (support/signals.hpp), which concern this process     |
#pragma once

#include <csignal>

#include "support/descriptor.hpp"

namespace turnstile::cli {

enum class signals_taken { usual, all };

class forwarded_signals {
public:
    // Blocks the signals for this thread and for threads that it starts. An ignored signal stays ignored, because the
    // caller used nohup. Throws std::system_error.
    explicit forwarded_signals(signals_taken which = signals_taken::usual);

    [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }
    // Returns the signal mask from before this object. The command starts with that mask.
    [[nodiscard]] const sigset_t& mask_before() const noexcept { return before_; }
    // Returns the next signal that has arrived; 0 if none has.
    [[nodiscard]] int next() const noexcept;
    // Returns when a signal has arrived that ends a wait.
    void wait_for_end() const noexcept;
    // True if the signal ends a wait for the lock. Such a signal ends a process that does not catch it. Signals that
    // have a meaning only for the command do not end the wait: USR1, USR2 and real-time signals.
    [[nodiscard]] static bool ends_wait(int signal) noexcept;

private:
    sigset_t before_{};
    support::descriptor descriptor_;
};

}  // namespace turnstile::cli
