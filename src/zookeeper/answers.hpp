// SPDX-License-Identifier: Apache-2.0
// answers: translates the C client's return codes, states and structures for the coordinator interface.
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

// Judges the code of a completion. Codes that the C client itself generates while it clears its queues count as
// unknown even if servers use them too (ZSESSIONEXPIRED, ZAUTHFAILED): the request may have been executed
// before.
[[nodiscard]] verdict judge_completion(int rc) noexcept;

// Judges a code that a call returned at once: nothing was sent.
[[nodiscard]] verdict judge_call(int rc) noexcept;

// Judges one part of an answered multi.
[[nodiscard]] core::server_error judge_part(int rc) noexcept;

[[nodiscard]] core::stat to_stat(const Stat& from) noexcept;

// Empty for types that do not belong to a watch.
[[nodiscard]] std::optional<core::watch_kind> to_watch_kind(int event_type) noexcept;

}  // namespace turnstile::zookeeper
