// SPDX-License-Identifier: Apache-2.0
// forwarded_signals: the signals that a command of `turnstile` takes or hands on, read from a descriptor.
//
// | signals taken | which                                                                                      |
// |---------------|--------------------------------------------------------------------------------------------|
// | usual         | TERM, INT, HUP, QUIT, USR1, USR2, CONT                                                     |
// | all           | each one that can be caught, real-time signals included, but job control's (TSTP, TTIN,    |
// |               | TTOU), CHLD, and those of a fault (support/signals.hpp), which belong to the process itself|
#pragma once

#include <csignal>

#include "support/descriptor.hpp"

namespace turnstile::cli {

enum class signals_taken { usual, all };

class forwarded_signals {
public:
    // Blocks them for this thread and those that it starts. A signal that is ignored stays so: the caller said
    // nohup. Throws std::system_error.
    explicit forwarded_signals(signals_taken which = signals_taken::usual);

    [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }
    // The mask before, which the command starts with.
    [[nodiscard]] const sigset_t& mask_before() const noexcept { return before_; }
    // The next signal that came; 0 if none did.
    [[nodiscard]] int next() const noexcept;
    // Returns when one came that ends a wait.
    void wait_for_end() const noexcept;
    // Whether the signal ends a wait for the lock: those that end a process which does not catch them, but the ones that
    // have a meaning for the command alone (USR1, USR2, real-time signals).
    [[nodiscard]] static bool ends_wait(int signal) noexcept;

private:
    sigset_t before_{};
    support::descriptor descriptor_;
};

}  // namespace turnstile::cli
