// SPDX-License-Identifier: Apache-2.0
// state_queries: a session's questions about the state of a contender (contender::current()). They change nothing.
//
// Thread safety: none. The results are valid until the contender's next event.
#pragma once

#include <cstdint>
#include <optional>

#include "core/contender/contender_states.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

// The common part of the states whose znode exists; nullptr in the other states.
[[nodiscard]] const state::standing* standing_in(const contender_state& current) noexcept;

// True if its znode is to be created, or its create is in progress.
[[nodiscard]] bool enters(const contender_state& current) noexcept;
// True if its znode is in the queue, as far as is known, and the caller has not given up.
[[nodiscard]] bool stands(const contender_state& current) noexcept;
// True if it waits for its turn in the queue.
[[nodiscard]] bool waits_in_line(const contender_state& current) noexcept;
// True for a hold, and for a contender that is about to hold: checks of its znode must keep its lease fresh.
[[nodiscard]] bool needs_confirmation(const contender_state& current) noexcept;
// True if the contender is first and only its lease is missing, or if a get of the low-water mark may show that.
[[nodiscard]] bool awaits_lease(const contender_state& current) noexcept;
// True for a hold, and for a waiter with exactly one contender ahead: its end may be a grant for the contender behind.
[[nodiscard]] bool holds_or_has_one_ahead(const contender_state& current) noexcept;
// True if its own znode is watched on this connection, or is about to be.
[[nodiscard]] bool watches_itself(const contender_state& current,
                                  std::uint64_t connection) noexcept;
// The end of the lock delay, if the contender is first and waits for it.
[[nodiscard]] std::optional<time_point> delay_end(const contender_state& current) noexcept;
// The nearest contender ahead of a waiter; nullptr: there is none, or it was not read.
[[nodiscard]] const contender_ahead* nearest_ahead(const contender_state& current) noexcept;
// True for a hold whose contender is not about to change its znode, so that a commit may change it.
[[nodiscard]] bool settled(const contender_state& current) noexcept;
// The version of its znode as the contender knows it; a different version there shows a write of another client.
// k_any_version while a commit under this hold leaves the version open.
[[nodiscard]] std::int32_t version_in(const contender_state& current) noexcept;

}  // namespace turnstile::core
