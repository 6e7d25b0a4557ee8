// SPDX-License-Identifier: Apache-2.0
// end_orphan: ends a session whose process has ended.
//
// Thread safety: from any thread.
#pragma once

#include <string>
#include <string_view>

#include "modules/entry.hpp"

namespace turnstile::redis {

// The session's mark at the server, without the number of its connection (lua/attach.lua): a proof for the guardian.
[[nodiscard]] inline std::string proof_of(std::string_view timeout, std::string_view password,
                                          std::string_view identity) {
    return ":" + std::string{timeout} + ":" + std::string{password} + ":" + std::string{identity};
}

// modules::entry's end_session.
[[nodiscard]] result<void> end_orphan(const modules::orphaned_session& which,
                                      core::time_point until);

}  // namespace turnstile::redis
