// SPDX-License-Identifier: Apache-2.0
// Ends the session of a process that has died. This code runs in a helper process. The guardian, a process that watches
// clients' processes, starts the helper for this purpose (guardian/module_ends.hpp).
#pragma once

namespace turnstile::detail {

// The work of a helper: loads the scheme's module, reads a guard_module_session from the socket, and ends the session.
// Retries until the session timeout has passed. Returns the exit code. The library exports this function for the
// programs turnstile-session-end and `turnstile`.
[[nodiscard]] [[gnu::visibility("default")]] int end_guarded_session(const char* scheme,
                                                                     int socket) noexcept;

}  // namespace turnstile::detail
