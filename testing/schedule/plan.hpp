// SPDX-License-Identifier: Apache-2.0
// plan: a schedule as text, for a replay.
//
//     deviations:           the running thread continues until it cannot; then the thread with the next number does
//     deviations:17=2,40=0  as above, but thread 2 continues at step 17, and thread 0 continues at step 40
//     priorities:SEED/3     PCT (Burckhardt et al., ASPLOS 2010): threads have random priorities, the highest runnable
//                           thread continues, and at 2 random steps the running thread drops below all others. A run
//                           with /d finds a bug that needs d ordered steps among n threads and k steps with a
//                           probability of at least 1 / (n * k^(d-1))
//     walk:SEED/8           at one point in eight a random runnable thread continues
//
// The plans with at most N deviations are all schedules with the delay bound N (Emmi, Qadeer, Rakamaric, POPL 2011).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::schedule {

struct deviation {
    std::uint32_t at = 0;  // number of the step
    std::uint8_t thread = 0;
    friend bool operator==(const deviation&, const deviation&) = default;
};

struct plan {
    enum class kind : std::uint8_t { deviations, priorities, walk };
    kind how = kind::deviations;
    std::vector<deviation> deviations{};
    std::uint64_t seed = 0;
    std::uint32_t depth = 3;
    std::uint32_t length = 1000;  // expected number of steps, among which the priorities change

    [[nodiscard]] std::string to_string() const;
    [[nodiscard]] static std::optional<plan> parse(std::string_view text);
    friend bool operator==(const plan&, const plan&) = default;
};

}  // namespace turnstile::schedule
