// SPDX-License-Identifier: Apache-2.0
// service: the process that a guardian started and is the parent of (`turnstile-guardian -- my-service`).
//
// Thread safety: one thread, with nothing else that waits for children.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <string>

#include "support/descriptor.hpp"

namespace turnstile::guardian {

class service {
public:
    // Blocks the signals that are passed on, from here on and for this thread.
    service();

    // Starts it with TURNSTILE_GUARDIAN=`socket_name`. `core_limit`: the limit that it is to have.
    void start(char** command, const std::string& socket_name, const rlimit& core_limit);
    // Readable when a signal has come.
    [[nodiscard]] int signals() const noexcept { return signals_.get(); }
    // Passes the signals that have come on, and reaps: every child, as process 1 has to.
    void handle_signals();

    [[nodiscard]] bool ended() const noexcept { return ended_; }
    // A signal to end came after the service's end.
    [[nodiscard]] bool hurried() const noexcept { return hurried_; }
    // As a shell counts it: its own, or 128 + the signal that ended it.
    [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

private:
    void reap();

    sigset_t before_{};
    support::descriptor signals_;
    pid_t process_ = 0;
    bool ended_ = false;
    bool hurried_ = false;
    int exit_code_ = 0;
};

}  // namespace turnstile::guardian
