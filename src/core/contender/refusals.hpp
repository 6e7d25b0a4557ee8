// SPDX-License-Identifier: Apache-2.0
// Errors of a contender when the servers refuse a request for good (docs/reference/limits.md).
#pragma once

#include <optional>
#include <string>

#include "core/queue/contender_name.hpp"
#include "core/queue/revocation.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core {

// An operator's quota or a server's memory is used up: the answer does not show which.
[[nodiscard]] error quota_exceeded(const std::string& path);
// The session is local to one server, and such sessions may own no znode.
[[nodiscard]] error sessions_are_local(const std::string& path);
// An upgrade is refused because equal numbers have no order.
[[nodiscard]] error no_more_upgrades(const std::string& folder);
// The servers cannot make an access list of the credentials: they do not accept them.
[[nodiscard]] error credentials_not_accepted();
// The servers refuse the path; it may be too long with a contender's name.
[[nodiscard]] error path_not_taken(const std::string& folder);
// The folder, or one of its parents, is an ephemeral znode.
[[nodiscard]] error ephemeral_in_the_way(const std::string& folder, const std::string& which);
// The reason why a folder or its parents cannot be created; nothing for an answer that is no final refusal.
[[nodiscard]] std::optional<error> folder_refusal(const std::string& folder, server_error answer);
// An operator has ordered the contender to leave.
[[nodiscard]] error taken_away(const std::string& folder, const revocation& order);
// A text for errors and warnings: contenders of another kind came first at this path, and do not exclude ours.
[[nodiscard]] std::string foreign_kind(const std::string& folder, contender_family ours,
                                       contender_family theirs);

}  // namespace turnstile::core
