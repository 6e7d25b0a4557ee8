// SPDX-License-Identifier: Apache-2.0
// participants: reads the participants of an election from the znodes of its queue.
#pragma once

#include <optional>
#include <vector>

#include "recipe/lock/queue_lock.hpp"
#include "turnstile/participant.hpp"

namespace turnstile::detail {

// Returns all participants; the participant that leads is first.
[[nodiscard]] result<std::vector<participant>> participants(const queue_lock& queue,
                                                            const query_options& options);
[[nodiscard]] result<std::optional<participant>> first_participant(const queue_lock& queue,
                                                                   const query_options& options);

}  // namespace turnstile::detail
