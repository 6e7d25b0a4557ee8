// SPDX-License-Identifier: Apache-2.0
// forwarded_signals: the signals that `run` hands on to its command, read from a descriptor.
#pragma once

#include <csignal>

#include "base/descriptor.hpp"

namespace turnstile::cli {

class forwarded_signals {
public:
    // Blocks them for this thread and those that it starts. A signal that is ignored stays so: the caller said
    // nohup. Throws std::system_error.
    forwarded_signals();

    [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }
    // The mask before, which the command starts with.
    [[nodiscard]] const sigset_t& mask_before() const noexcept { return before_; }
    // The next signal that came; 0 if none did.
    [[nodiscard]] int next() const noexcept;
    // Returns when one came that ends a wait.
    void wait_for_end() const noexcept;
    // Whether the signal ends a wait for the lock: TERM, INT, HUP and QUIT.
    [[nodiscard]] static bool ends_wait(int signal) noexcept;

private:
    sigset_t before_{};
    base::descriptor descriptor_;
};

}  // namespace turnstile::cli
