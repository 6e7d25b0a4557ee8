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

// The guardian gets a new session and process group and an empty environment. Of this process's descriptors it gets
// only the socket. The guardian is not a child of this process, so this process need not wait for it. Returns an empty
// descriptor, and sets errno, if the guardian cannot be started.
[[nodiscard]] support::descriptor start_guardian(const std::string& program);

using pause_function = std::function<void(std::chrono::milliseconds)>;
void sleep_for(std::chrono::milliseconds span);

// Connects to the guardian whose name is in the environment. If the guardian has no room for a further connection,
// tries again with growing pauses, for half a second at most. Returns an empty descriptor, and sets errno, if no
// guardian listens there, or if the guardian belongs to another user (EPERM).
[[nodiscard]] support::descriptor connect_guardian(std::string_view name,
                                                   const pause_function& pause = sleep_for);

// Returns the path of the installed guardian. Looks first in the tree in which the library is installed, which may have
// moved since its build, and otherwise returns the path that the build was configured for.
[[nodiscard]] std::string installed_guardian();

}  // namespace turnstile::guardian
