// SPDX-License-Identifier: Apache-2.0
// end_orphan: ends a session whose process has ended.
//
// Thread safety: from any thread.
#pragma once

#include <string>
#include <string_view>

#include "modules/entry.hpp"

namespace turnstile::redis {

// Returns the session's mark (its entry at the server, lua/attach.lua) without the number of the connection. With this
// proof, the guardian, a process that outlives a crash of the client's process, ends the session.
[[nodiscard]] inline std::string proof_of(std::string_view timeout, std::string_view password,
                                          std::string_view identity) {
    return ":" + std::string{timeout} + ":" + std::string{password} + ":" + std::string{identity};
}

// Implements end_session of modules::entry.
[[nodiscard]] result<void> end_orphan(const modules::orphaned_session& which,
                                      core::time_point until);

}  // namespace turnstile::redis
