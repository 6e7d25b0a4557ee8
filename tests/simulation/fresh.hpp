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
    std::string report;  // name of a file for the tally as a page; empty: no file
    std::string commit;  // tested commit, which the page names
};

// Prints each history that breaks a promise, with the command line that replays the history. Prints the tally at the
// end. Returns the exit status: 1 if a history broke a promise.
int play_fresh(const fresh_options& wanted);

}  // namespace turnstile::tests
