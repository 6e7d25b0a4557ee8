// SPDX-License-Identifier: Apache-2.0
// state_queries: what a session asks about the state of a contender (acquisition::current()). Nothing is changed by it.
//
// Thread safety: none; for as long as the acquisition is not given an event.
#pragma once

#include <cstdint>
#include <optional>

#include "core/contender/acquisition_states.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

// The part that all states have whose znode stands; nullptr: it does not stand.
[[nodiscard]] const state::standing* standing_in(const acquisition_state& current) noexcept;

// Its znode is to be created, or its create is in progress.
[[nodiscard]] bool enters(const acquisition_state& current) noexcept;
// Its znode stands in the queue, as far as is known, and the caller has not left it.
[[nodiscard]] bool stands(const acquisition_state& current) noexcept;
// Waits for its place in the queue.
[[nodiscard]] bool waits_in_line(const acquisition_state& current) noexcept;
// Holds, or is about to: its lease must be kept fresh by checks of its znode.
[[nodiscard]] bool needs_confirmation(const acquisition_state& current) noexcept;
// The contender is first, or a look at the low-water mark is to show that it is, and only its lease is missing.
[[nodiscard]] bool awaits_lease(const acquisition_state& current) noexcept;
// A hold, or a waiter with exactly one contender in its way: its end may be the grant of the one behind it.
[[nodiscard]] bool holds_or_has_one_ahead(const acquisition_state& current) noexcept;
// Its own znode is watched on this connection, or is about to be.
[[nodiscard]] bool watches_itself(const acquisition_state& current,
                                  std::uint64_t connection) noexcept;
// The end of the lock delay, if the contender is first and waits for that.
[[nodiscard]] std::optional<time_point> delay_end(const acquisition_state& current) noexcept;
// The contender ahead of a waiter, the nearest of several; nullptr: there is none, or it was not read.
[[nodiscard]] const contender_ahead* nearest_ahead(const acquisition_state& current) noexcept;
// A hold, and nothing of the acquisition's own is about to change its znode: a commit may.
[[nodiscard]] bool settled(const acquisition_state& current) noexcept;
// Of its znode; another one there means that another client has written to it. k_any_version while a commit under this
// hold leaves it open.
[[nodiscard]] std::int32_t version_in(const acquisition_state& current) noexcept;

}  // namespace turnstile::core
