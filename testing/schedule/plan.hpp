// SPDX-License-Identifier: Apache-2.0
// plan: a schedule, written down so that it can be run again.
//
//     deviations:           the thread that runs goes on until it cannot; then the next one by number
//     deviations:17=2,40=0  the same, but at step 17 thread 2 goes on and at step 40 thread 0
//     priorities:SEED/3     PCT (Burckhardt et al., ASPLOS 2010): threads have random priorities, the highest that can
//                           goes on, and at 2 random steps the thread that runs drops below all others. Of
//                           a bug that needs d ordered steps among n threads and k steps each run with /d
//                           finds it with a chance of at least 1 / (n * k^(d-1))
//     walk:SEED/8           at one point in eight any thread that can goes on
//
// All plans with at most n deviations are the delay-bounded schedules (Emmi, Qadeer, Rakamaric, POPL 2011).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::schedule {

struct deviation {
    std::uint32_t at = 0;  // the step
    std::uint8_t thread = 0;
    friend bool operator==(const deviation&, const deviation&) = default;
};

struct plan {
    enum class kind : std::uint8_t { deviations, priorities, walk };
    kind how = kind::deviations;
    std::vector<deviation> deviations{};
    std::uint64_t seed = 0;
    std::uint32_t depth = 3;
    std::uint32_t length = 1000;  // about so many steps: where priorities may change

    [[nodiscard]] std::string to_string() const;
    [[nodiscard]] static std::optional<plan> parse(std::string_view text);
    friend bool operator==(const plan&, const plan&) = default;
};

}  // namespace turnstile::schedule
