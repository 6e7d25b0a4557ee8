// SPDX-License-Identifier: Apache-2.0
// answers: converts return codes, states and structures of the C client to types of the coordinator's interface
// (core/seam).
//
// Thread safety: pure functions.
#pragma once

#include <zookeeper/zookeeper.h>

#include <optional>

#include "core/seam/seam.hpp"

namespace turnstile::zookeeper {

struct judged_code {
    core::outcome outcome = core::outcome::unknown;
    core::server_error error = core::server_error::ok;
    friend bool operator==(const judged_code&, const judged_code&) = default;
};

// Judges the code of a completion. Servers send the codes ZSESSIONEXPIRED and ZAUTHFAILED, but the C client also
// generates these two codes itself when it clears its queues. So the outcome of a request with one of these codes is
// unknown: a server may have executed the request.
[[nodiscard]] judged_code judge_completion(int rc) noexcept;

// Judges a code that a request function of the C client returned at once: the C client has not sent the request.
[[nodiscard]] judged_code judge_call(int rc) noexcept;

[[nodiscard]] core::server_error judge_part(int rc) noexcept;

[[nodiscard]] core::stat to_stat(const Stat& from) noexcept;

// Returns nothing for an event type that does not belong to a watch.
[[nodiscard]] std::optional<core::watch_kind> to_watch_kind(int event_type) noexcept;

}  // namespace turnstile::zookeeper
