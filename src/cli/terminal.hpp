// SPDX-License-Identifier: Apache-2.0
// terminal: lends the controlling terminal to a command that asks for it.
//
// The command is in a process group of its own, so the kernel stops it when it reads the terminal (SIGTTIN) or sets
// its modes (SIGTTOU). It gets the terminal then, if `run` is in the foreground, and goes on; `run` takes it back in
// the end. A command that does not touch the terminal leaves it alone: in a pipeline the pager needs it.
//
// Thread safety: one thread, with SIGTTOU blocked.
#pragma once

#include <sys/types.h>

#include "support/descriptor.hpp"

namespace turnstile::cli {

class terminal {
public:
    // `owner`: the process group that lends.
    explicit terminal(pid_t owner) noexcept;

    // Whether `group` has the terminal now.
    bool lend(pid_t group) noexcept;
    void take_back() noexcept;

private:
    pid_t owner_;
    support::descriptor device_;
    bool lent_ = false;
};

}  // namespace turnstile::cli
