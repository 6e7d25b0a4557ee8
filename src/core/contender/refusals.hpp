// SPDX-License-Identifier: Apache-2.0
// Errors of a contender whose request the servers refuse for good (docs/reference/limits.md).
#pragma once

#include <optional>
#include <string>

#include "core/queue/contender_name.hpp"
#include "core/queue/revocation.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core {

// Either an operator's quota or a server's memory is used up; the servers' answer does not show which.
[[nodiscard]] error quota_exceeded(const std::string& path);
// The session is a local session: only one server knows it, and it may not own a znode.
[[nodiscard]] error sessions_are_local(const std::string& path);
// The upgrade is refused because contenders with equal numbers have no order.
[[nodiscard]] error no_more_upgrades(const std::string& folder);
// The servers do not accept our credentials, so they cannot make an access list from them.
[[nodiscard]] error credentials_not_accepted();
// The servers refuse the path, perhaps because the path with a contender's name is too long.
[[nodiscard]] error path_not_taken(const std::string& folder);
// The folder, or one of its parents, is an ephemeral znode.
[[nodiscard]] error ephemeral_in_the_way(const std::string& folder, const std::string& which);
// Returns the error for a folder that cannot be created; nothing if `answer` is no final refusal.
[[nodiscard]] std::optional<error> folder_refusal(const std::string& folder, server_error answer);
// An operator has ordered the contender to give up its hold or its position in the queue.
[[nodiscard]] error taken_away(const std::string& folder, const revocation& order);
// Returns the text of an error or a warning: contenders of another family came first in this folder, and the two
// families do not exclude each other.
[[nodiscard]] std::string foreign_kind(const std::string& folder, contender_family ours,
                                       contender_family theirs);

}  // namespace turnstile::core
