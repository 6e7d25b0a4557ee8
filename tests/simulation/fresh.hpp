// SPDX-License-Identifier: Apache-2.0
// A run on fresh seeds: plays histories of all kinds with random seeds for some minutes.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace turnstile::tests {

struct fresh_options {
    std::chrono::duration<double> length{};
    std::uint64_t drawn_from = 0;
    unsigned jobs = 1;
    std::string report;  // file for the results as a page; empty: none
    std::string commit;  // the tested commit, for the page
};

// Plays the histories. Prints each history that breaks a promise, with the command that replays it, and at the end a
// table of counts. Returns the exit status: 1 if a promise was broken.
int play_fresh(const fresh_options& wanted);

}  // namespace turnstile::tests
