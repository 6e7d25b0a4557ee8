// SPDX-License-Identifier: Apache-2.0
// A run on fresh seeds: histories of all kinds in turn, of seeds drawn by chance, for some minutes.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace turnstile::tests {

struct fresh_options {
    std::chrono::duration<double> length{};
    std::uint64_t drawn_from = 0;
    unsigned jobs = 1;
    std::string report;  // the file of the tally as a page; empty: none
    std::string commit;  // what is played, for the page
};

// Prints each history that breaks a promise with the line that replays it, and the tally at the end. Returns
// the exit status: 1 if there was one.
int play_fresh(const fresh_options& wanted);

}  // namespace turnstile::tests
