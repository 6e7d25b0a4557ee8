// SPDX-License-Identifier: Apache-2.0
// lease_hunt: the search for counterexamples to the lease's rule, and to rules that look as good.
//
//     const outcome result = hunt(tried_rule::touch_before_write, 42);
//     if (is_counterexample(result)) std::cerr << result.breach;
//
// A counterexample is an instant at which two guards of one lock say that they are valid. The histories
// are short and made for it: two clients, one lock, holds that outlive a session, and of the faults
// those that a lease can suffer from. Tick, syncLimit, time-out, confirmations, stalls and clocks are
// drawn at random; so is the relay bound, within what the rule says of it. docs/why/lease.md has the rule
// and its proof, docs/reference/verification.md what was found.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "simulation/scenario.hpp"
#include "verification/simulator.hpp"

namespace turnstile::simulation {

enum class tried_rule {
    // The library's, every stall being one that its relay bound covers.
    ours,
    // The library's, with a relay bound that is smaller than stall + tick / 2.
    ours_with_small_relay_bound,
    // A guard is valid until two thirds of the time-out have passed since an answer came.
    two_thirds_since_heard,
    // The library's, with an answered sync in the place of a committed write.
    confirmed_by_sync,
    // An answered request counts as soon as a write has committed that was sent later. That is the
    // library's rule with a relay bound of zero for a client that never learns a server's role.
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
// False also for a history that breaks another promise than exclusion: that would be another fault.
[[nodiscard]] bool is_counterexample(const outcome& result);

}  // namespace turnstile::simulation
