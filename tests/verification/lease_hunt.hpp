// SPDX-License-Identifier: Apache-2.0
// lease_hunt: searches for counterexamples to the lease's rule, and to other rules that look equally good.
//
//     const outcome result = hunt(tried_rule::touch_before_write, 42);
//     if (is_counterexample(result)) std::cerr << result.breach;
//
// A counterexample is an instant at which two guards of one lock are valid. The histories are short and contain only
// what can harm a lease. They have two clients, one lock, holds that outlive a session, and certain faults. Times,
// stalls, clocks and the relay bound (the longest time until the leader learns of a message to a follower, as the
// clients assume it) are random within the rule's limits. docs/why/lease.md has the rule and its proof.
// docs/reference/verification.md has the findings.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "simulation/scenario.hpp"
#include "verification/simulator.hpp"

namespace turnstile::simulation {

enum class tried_rule {
    // The library's rule, with a relay bound (the time within which the leader must learn of a message to a follower)
    // that is longer than every stall.
    ours,
    // The library's rule, with a relay bound (the time within which the leader must learn of a message to a follower)
    // that is shorter than the sum of the longest stall and half a tick.
    ours_with_small_relay_bound,
    // A guard is valid for two thirds of the timeout after the latest answer.
    two_thirds_since_heard,
    // The library's rule, where an answered sync counts as a committed write.
    confirmed_by_sync,
    // The library's rule for a server of unknown role, as if the leader learned at once of each message to a follower:
    // an answered request extends the lease as soon as any later write has committed.
    touch_before_write,
};
inline constexpr std::array k_tried_rules{
    tried_rule::ours, tried_rule::ours_with_small_relay_bound, tried_rule::two_thirds_since_heard,
    tried_rule::confirmed_by_sync, tried_rule::touch_before_write};

[[nodiscard]] std::string_view to_string(tried_rule rule) noexcept;
[[nodiscard]] std::optional<tried_rule> tried_rule_of(std::string_view name) noexcept;

[[nodiscard]] scenario draw_hunt(tried_rule rule, std::uint64_t seed);
[[nodiscard]] outcome hunt(tried_rule rule, std::uint64_t seed, const reduction& reduced = {},
                           trace::detail wanted = trace::detail::none);
// Returns true if two holders were valid at once. A history that breaks another promise is no counterexample.
[[nodiscard]] bool is_counterexample(const outcome& result);

}  // namespace turnstile::simulation
