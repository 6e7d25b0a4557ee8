// SPDX-License-Identifier: Apache-2.0
// state_queries: pure functions with which a session asks for the state of a contender (contender_core::current()).
//
// Thread safety: none. The results are valid until the contender's next event.
#pragma once

#include <cstdint>
#include <optional>

#include "core/contender/contender_states.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

// Returns the common part of the states in which the znode exists; nullptr in other states.
[[nodiscard]] const state::standing* standing_in(const contender_state& current) noexcept;

// True if the contender must create its znode, or its create is in progress.
[[nodiscard]] bool enters(const contender_state& current) noexcept;
// True if the contender's znode is in the queue, as far as the contender knows, and the caller has not given up.
[[nodiscard]] bool stands(const contender_state& current) noexcept;
[[nodiscard]] bool waits_in_line(const contender_state& current) noexcept;
// True for a hold, and for a contender that may get the lock soon. The session sends confirmations for them: writes
// that check the contender's znode and extend the lease.
[[nodiscard]] bool needs_confirmation(const contender_state& current) noexcept;
// True if no contender is ahead, so that the grant depends on the lease. Also true if the contender is reading from the
// folder's data (znode_texts.hpp) whether a contender is ahead.
[[nodiscard]] bool awaits_lease(const contender_state& current) noexcept;
// True for a hold, and for a waiter that is next in line: exactly one contender is ahead of the waiter.
[[nodiscard]] bool holds_or_has_one_ahead(const contender_state& current) noexcept;
// True if the contender's znode is watched on this connection, or the request for that watch is in progress.
[[nodiscard]] bool watches_itself(const contender_state& current,
                                  std::uint64_t connection) noexcept;
// Returns the end of the lock delay, if the contender is first and waits for that end.
[[nodiscard]] std::optional<time_point> delay_end(const contender_state& current) noexcept;
// Returns the nearest contender ahead of a waiter; nullptr if there is none, or if the waiter has not read that
// contender's znode.
[[nodiscard]] const contender_ahead* nearest_ahead(const contender_state& current) noexcept;
// If exactly one contender is ahead of a waiter: returns the path of the znode that the waiter watches. Otherwise
// returns an empty text.
[[nodiscard]] std::string znode_ahead(const contender_state& current, const std::string& folder);
// True for a hold whose contender is not about to write its own znode. Only then may a commit write the znode.
[[nodiscard]] bool settled(const contender_state& current) noexcept;
// Returns the version of the contender's znode, as far as the contender knows. If the znode has another version,
// another client has written into it. Returns k_any_version while a commit is in progress, because the commit may
// change the version.
[[nodiscard]] std::int32_t version_in(const contender_state& current) noexcept;

}  // namespace turnstile::core
