// SPDX-License-Identifier: Apache-2.0
// service: the command that a guardian starts as its child (`turnstile-guardian -- my-service`).
//
// Thread safety: one thread. No other code of the process may wait for children.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <string>

#include "support/descriptor.hpp"

namespace turnstile::guardian {

class service {
public:
    // In the calling thread, blocks the signals that the guardian forwards to the service.
    service();

    // Starts the command with TURNSTILE_GUARDIAN=`socket_name` and with the limit `core_limit` for core files.
    void start(char** command, const std::string& socket_name, const rlimit& core_limit);
    // Returns a descriptor that is readable when a signal has arrived.
    [[nodiscard]] int signals() const noexcept { return signals_.get(); }
    // Sends each arrived signal on to the service. Also reaps every child, as process 1 must.
    void handle_signals();

    [[nodiscard]] bool ended() const noexcept { return ended_; }
    // True if SIGTERM or SIGINT has arrived after the end of the service.
    [[nodiscard]] bool hurried() const noexcept { return hurried_; }
    // The service's exit code, or 128 + the signal that ended the service, as shells do.
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
