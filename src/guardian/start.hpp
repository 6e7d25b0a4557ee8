// SPDX-License-Identifier: Apache-2.0
// start_guardian() starts a new guardian, a process that closes this process's sessions when this process has ended.
// connect_guardian() connects to an existing guardian. Both return the socket that leads to the guardian.
//
// Thread safety: from any thread.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "support/descriptor.hpp"

namespace turnstile::guardian {

// True for the users whose files, folders and processes may receive this process's sessions: root and the user of this
// process.
[[nodiscard]] inline bool is_trusted(uid_t user) noexcept {
    return user == 0 || user == ::geteuid();
}

// The guardian gets a new process session (setsid) and process group. It inherits only the socket and the Kerberos
// variables. It is not a child of this process, so this process need not reap it. Returns a closed descriptor and sets
// errno if the start fails.
[[nodiscard]] support::descriptor start_guardian(const std::string& program);

using pause_function = std::function<void(std::chrono::milliseconds)>;
void sleep_for(std::chrono::milliseconds span);

// Connects to the guardian whose name is in the environment. If the guardian's queue of connections is full, retries
// with growing pauses for at most half a second. Returns a closed descriptor and sets errno if no guardian listens, or
// if the guardian belongs to another user (EPERM).
[[nodiscard]] support::descriptor connect_guardian(std::string_view name,
                                                   const pause_function& pause = sleep_for);

// Returns the path of the installed guardian: relative to the library or the program, because an installed tree may
// move. If it is not there, returns the path from the build's configuration.
[[nodiscard]] std::string installed_guardian();

}  // namespace turnstile::guardian
