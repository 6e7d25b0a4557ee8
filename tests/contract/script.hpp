// SPDX-License-Identifier: Apache-2.0
// script: random requests of several sessions, and a coordinator's behaviour as lines of text, so that a test can
// compare two coordinators.
//
//     EXPECT_EQ(play(make_script(seed), model), play(make_script(seed), servers));
//
// The text omits permitted differences: zxids and session ids are relative to the script's start, times are missing,
// and children and a closed session's events are sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/seam/coordinator.hpp"

namespace turnstile::contract {

inline constexpr std::size_t k_script_sessions = 3;

// A step of one session: requests that are sent together, or another action.
struct step {
    enum class kind { ask, forget, reopen };
    kind sort = kind::ask;
    std::size_t session = 0;
    std::vector<core::operation> requests;  // only for `ask`
    std::string path;                       // only for `forget`
};
using script = std::vector<step>;

// Makes the script of this seed. Paths start with "/", and play() puts a folder before them.
[[nodiscard]] script make_script(std::uint64_t seed, std::size_t steps);

// The form in which a script prints a zxid. `counted`: the distance from the script's first zxid. `ordered`: the rank
// among the zxids so far, for servers that do not count each write.
enum class zxids { counted, ordered };

// Sends the requests of the script, with their paths in `folder`. The folder must not exist, and must be a child of the
// root. Returns one text for each step, with a line for each reply and event.
[[nodiscard]] std::vector<std::string> play(const script& steps, core::coordinator& servers,
                                            const std::string& folder, zxids told);

[[nodiscard]] std::string to_string(const step& step);

}  // namespace turnstile::contract
