// SPDX-License-Identifier: Apache-2.0
// script: random requests of several sessions, and the behaviour of a coordinator as lines of text, so that a
// test can compare two coordinators.
//
//     EXPECT_EQ(play(make_script(seed), model), play(make_script(seed), servers));
//
// Legitimate differences are normalised: zxids and session ids count from the start of the script, times are
// left out, children are sorted, and so are the events of a closed session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/seam/coordinator.hpp"

namespace turnstile::contract {

inline constexpr std::size_t k_script_sessions = 3;

// An action of one session: requests that are sent together, or one of the other kinds.
struct step {
    enum class kind { ask, forget, reopen };
    kind sort = kind::ask;
    std::size_t session = 0;
    std::vector<core::operation> requests;  // ask
    std::string path;                       // forget
};
using script = std::vector<step>;

// The same seed gives the same script. Paths start with "/"; the folder of the script is added before them.
[[nodiscard]] script make_script(std::uint64_t seed, std::size_t steps);

// The form in which zxids are printed: as the distance from the script's first zxid, or, for servers that do not
// count every write, as the rank among the zxids so far.
enum class zxids { counted, ordered };

// Plays the script in `folder`, which must not exist and whose parent must be the root. Returns one text for
// each step, with a line for each reply and each event.
[[nodiscard]] std::vector<std::string> play(const script& steps, core::coordinator& servers,
                                            const std::string& folder, zxids told);

[[nodiscard]] std::string to_string(const step& step);

}  // namespace turnstile::contract
