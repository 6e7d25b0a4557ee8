// SPDX-License-Identifier: Apache-2.0
// What an acquisition says when the servers refuse it something for good (docs/reference/limits.md).
#pragma once

#include <optional>
#include <string>

#include "core/queue/contender_name.hpp"
#include "core/queue/revocation.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core {

// An operator's quota is used up, or a server's memory: the answer does not tell which.
[[nodiscard]] error quota_exceeded(const std::string& path);
// The servers keep sessions local, and those may own no znode.
[[nodiscard]] error sessions_are_local(const std::string& path);
// Why an upgrade is refused among equal numbers.
[[nodiscard]] error no_more_upgrades(const std::string& folder);
// The servers made no access list of the credentials: they do not accept them.
[[nodiscard]] error credentials_not_accepted();
// A kind of server may take no path that is as long as a contender's is there.
[[nodiscard]] error path_not_taken(const std::string& folder);
// The folder's path goes through an ephemeral znode, or ends at one.
[[nodiscard]] error ephemeral_in_the_way(const std::string& folder, const std::string& which);
// Why a folder or its parents cannot be created; nothing for an answer that is no refusal for good.
[[nodiscard]] std::optional<error> folder_refusal(const std::string& folder, server_error answer);
// An operator has ordered the contender to go.
[[nodiscard]] error taken_away(const std::string& folder, const revocation& order);
// Contenders of another kind came before at this path: which, and what follows. Also a warning.
[[nodiscard]] std::string foreign_kind(const std::string& folder, contender_family ours,
                                       contender_family theirs);

}  // namespace turnstile::core
