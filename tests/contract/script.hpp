// SPDX-License-Identifier: Apache-2.0
// script: random requests of several sessions, and what a coordinator made of them, as lines of
// text that can be compared between two coordinators.
//
//     EXPECT_EQ(play(make_script(seed), model), play(make_script(seed), servers));
//
// What two servers may well do differently is normalised: zxids and session ids count from the
// start of the script, times are left out, children are sorted, and so are the events of a closed
// session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/seam/coordinator.hpp"

namespace turnstile::contract {

inline constexpr std::size_t k_script_sessions = 3;

// One session does something: requests, sent together, or one of the others.
struct step {
    enum class kind { ask, forget, reopen };
    kind sort = kind::ask;
    std::size_t session = 0;
    std::vector<core::operation> requests;  // ask
    std::string path;                       // forget
};
using script = std::vector<step>;

// Same seed, same script. Paths start with "/", the folder of the script is put before them.
[[nodiscard]] script make_script(std::uint64_t seed, std::size_t steps);

// How zxids are told: by their distance from the script's first one, or, for servers that do not count every write, by
// their places among those that the script has seen so far.
enum class zxids { counted, ordered };

// Plays in `folder`, which must not exist and whose parent must be the root. One text for each
// step, with a line for each reply and each event.
[[nodiscard]] std::vector<std::string> play(const script& steps, core::coordinator& servers,
                                            const std::string& folder, zxids told);

[[nodiscard]] std::string to_string(const step& step);

}  // namespace turnstile::contract
