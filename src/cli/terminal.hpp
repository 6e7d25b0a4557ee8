// SPDX-License-Identifier: Apache-2.0
// terminal: gives the controlling terminal to a command that needs it, and takes it back.
//
// The command has a separate process group, so the kernel stops it when it reads the terminal (SIGTTIN) or sets its
// modes (SIGTTOU). If `run` is in the foreground, the command then gets the terminal and continues. At the end, `run`
// takes the terminal back. A command that does not use the terminal never gets it: in a pipeline, the pager needs it.
//
// Thread safety: one thread, with SIGTTOU blocked.
#pragma once

#include <sys/types.h>

#include "support/descriptor.hpp"

namespace turnstile::cli {

class terminal {
public:
    // `owner`: the process group that owns the terminal.
    explicit terminal(pid_t owner) noexcept;

    // Gives the terminal to `group` if the owner has it now. Returns true if `group` then has the terminal.
    bool lend(pid_t group) noexcept;
    void take_back() noexcept;

private:
    pid_t owner_;
    support::descriptor device_;
    bool lent_ = false;
};

}  // namespace turnstile::cli
