// SPDX-License-Identifier: Apache-2.0
// start_guardian starts a new guardian, connect_guardian connects to an existing one. Both return the socket.
//
// Thread safety: from any thread.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "support/descriptor.hpp"

namespace turnstile::guardian {

// The guardian has a session and a process group of its own, an empty environment and no descriptor of this process but
// the socket; it is no child of this process, which has nothing to wait for. Empty if it cannot be started, with errno.
[[nodiscard]] support::descriptor start_guardian(const std::string& program);

using pause_function = std::function<void(std::chrono::milliseconds)>;
void sleep_for(std::chrono::milliseconds span);

// `name` is the environment's. A guardian that has no room for a further connection is tried again, with growing
// pauses, for half a second at most. Empty, with errno, if no guardian listens there or it is another user's (EPERM).
[[nodiscard]] support::descriptor connect_guardian(std::string_view name,
                                                   const pause_function& pause = sleep_for);

// The path where the library's build installs the program.
[[nodiscard]] std::string installed_guardian();

}  // namespace turnstile::guardian
