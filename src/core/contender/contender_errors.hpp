// SPDX-License-Identifier: Apache-2.0
// contender_errors: the errors of a contender or a commit whose request the servers refuse for good
// (docs/reference/limits.md), or that an operator or a contender of another kind ends; and the text by which an error
// names the contender ahead.
//
// Thread safety: any thread may call these pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/queue/contender_name.hpp"
#include "core/queue/znode_texts.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/error.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile::core {

// ---- a request of a contender was refused ------------------------------------------------------

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

// ---- a part of a commit was refused, and the servers rolled all other parts back ----------------

// Returns the error for a commit whose part `part` the servers refused with `why`. `index` is the number of the
// caller's part, counted from 0.
[[nodiscard]] error refused_part(const multi_part& part, std::size_t index, server_error why);
// Returns the error for a commit that requires a hold, if the servers refused the check of that hold's znode with
// `why`. `znode` is the path of that znode.
[[nodiscard]] error refused_guard(const std::string& znode, server_error why);

// ---- another contender is ahead ----------------------------------------------------------------

// Returns a text like "web1, pid 12, label \"orders\", since 2026-11-21T04:38:36Z". `claimed`: what a contender wrote
// about itself into its znode, which may be false. A contender of another library writes nothing about itself; then the
// text is empty. The text has at most a few hundred bytes, all printable.
[[nodiscard]] std::string text_of_claims(const contender_metadata& claimed, bool with_thread);

// contender_ahead: the text in which the nearest contender ahead of a waiter describes itself: its host, its process,
// its label. If the waiter's deadline passes, the error contains this text. The waiter gets the text with the answer to
// the request that sets its watch on that contender's znode. So the text costs no further request.
struct contender_ahead {
    std::string claims;   // text_of_claims(); only the text, because very many waiters store it
    bool is_own = false;  // true: a contender of the same session

    // Makes a contender_ahead from the answer to a get of the znode of the contender ahead. `session`: the id of our
    // session.
    [[nodiscard]] static contender_ahead of(const reply& answer, std::int64_t session);
    friend bool operator==(const contender_ahead&, const contender_ahead&) = default;
};

}  // namespace turnstile::core
