// SPDX-License-Identifier: Apache-2.0
// Errors of a contender whose request the servers refuse for good (docs/reference/limits.md).
#pragma once

#include <optional>
#include <string>

#include "core/queue/contender_name.hpp"
#include "core/queue/znode_texts.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core {

// Returns the error for a quota or a memory that is used up. The servers' answer does not show whether it is an
// operator's quota or a server's memory.
[[nodiscard]] error quota_exceeded(const std::string& path);
// Returns the error for a local session: only one server knows that session, and the session may not own a znode.
[[nodiscard]] error sessions_are_local(const std::string& path);
// Returns the error for an upgrade in a folder where contenders have equal numbers, which do not determine their order.
[[nodiscard]] error no_more_upgrades(const std::string& folder);
// Returns the error for servers that do not accept our credentials, and so cannot make an access list from them.
[[nodiscard]] error credentials_not_accepted();
// Returns the error for a path that the servers refuse, perhaps because it is too long with a contender's name.
[[nodiscard]] error path_not_taken(const std::string& folder);
// Returns the error for a folder that is an ephemeral znode or is below one. `which` is the ephemeral znode.
[[nodiscard]] error ephemeral_in_the_way(const std::string& folder, const std::string& which);
// Returns the error for a folder that cannot be created; nothing if `answer` is no final refusal.
[[nodiscard]] std::optional<error> folder_refusal(const std::string& folder, server_error answer);
// Returns the error for a contender that an operator has ordered to give up its hold or its position in the queue.
[[nodiscard]] error taken_away(const std::string& folder, const revocation_text& order);
// Returns the text of an error or a warning. The text says that contenders of the family `theirs` came first in this
// folder, and that the families `ours` and `theirs` do not exclude each other.
[[nodiscard]] std::string foreign_kind(const std::string& folder, contender_family ours,
                                       contender_family theirs);

}  // namespace turnstile::core
