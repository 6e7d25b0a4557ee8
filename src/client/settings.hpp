// SPDX-License-Identifier: Apache-2.0
// settings: validates a user's options and converts them for the core. Pure functions.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/seam/coordinator.hpp"
#include "core/session/session_core.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/client_options.hpp"
#include "turnstile/lock_options.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// Checks the options. The error `bad_option` names the value and the rule. `has_identity`: the servers may know the
// client even if the options contain no credentials.
[[nodiscard]] result<void> check(const client_options& options, bool has_identity = false);

[[nodiscard]] result<void> check_call(const acquire_options& options);
[[nodiscard]] result<void> check_modes(const lock_options& modes);

[[nodiscard]] core::session_settings session_settings(const client_options& options);
[[nodiscard]] core::session_core_settings core_settings(const client_options& options,
                                                        unsigned index, std::string servers);
[[nodiscard]] core::acl_policy acl_of(const client_options& options);
// Returns the relay bound (how late the leader may learn of a request that a follower has answered) and the clock drift
// (docs/why/lease.md).
[[nodiscard]] core::lease_rule lease_rule(const lease_settings& settings);

}  // namespace turnstile::detail
