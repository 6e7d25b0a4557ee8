// SPDX-License-Identifier: Apache-2.0
// answers: what the C client's return codes, states and structures mean at the seam.
//
// Thread safety: pure functions.
#pragma once

#include <zookeeper/zookeeper.h>

#include <optional>

#include "core/seam/seam.hpp"

namespace turnstile::zookeeper {

struct verdict {
    core::outcome outcome = core::outcome::unknown;
    core::server_error error = core::server_error::ok;
    friend bool operator==(const verdict&, const verdict&) = default;
};

// Of a code that a completion was called with. Codes that the C client makes up itself while it
// clears its queues count as unknown even where the servers use them too (ZSESSIONEXPIRED,
// ZAUTHFAILED): the request may have been carried out before.
[[nodiscard]] verdict judge_completion(int rc) noexcept;

// Of a code that a call returned at once: nothing was sent.
[[nodiscard]] verdict judge_call(int rc) noexcept;

// Of one part of a multi that was answered.
[[nodiscard]] core::server_error judge_part(int rc) noexcept;

[[nodiscard]] core::stat to_stat(const Stat& from) noexcept;

// Empty for the types that are no watch's.
[[nodiscard]] std::optional<core::watch_kind> to_watch_kind(int event_type) noexcept;

}  // namespace turnstile::zookeeper
