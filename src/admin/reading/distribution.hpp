// SPDX-License-Identifier: Apache-2.0
// distribution, template_times: the durations of waits and holds, for a lock and for groups of locks.
//
// Thread safety: values; pure functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admin/reading/history.hpp"

namespace turnstile::admin {

struct duration_bucket {
    std::optional<std::chrono::milliseconds> at_most;  // empty: above all other buckets
    std::size_t count = 0;
};

// Percentiles and a histogram of durations.
struct distribution {
    std::size_t count = 0;
    std::chrono::milliseconds p50{};
    std::chrono::milliseconds p90{};
    std::chrono::milliseconds p99{};
    std::chrono::milliseconds longest{};
    std::vector<duration_bucket>
        buckets;  // ascending, from the first non-empty bucket to the last; empty without durations
};

// Computes percentiles by the nearest rank. The buckets end at 1, 2 and 5 times each power of ten, from 10 ms to 5
// days.
[[nodiscard]] distribution distribution_of(std::vector<std::chrono::milliseconds> times);

// The durations of waits and holds for groups of locks with similar paths, from the history.
//
// The server does not know the programs' path templates (turnstile/path_template.hpp). So it groups locks whose paths
// differ only in the last name: "/orders/17" belongs to "/orders/{}".
struct template_times {
    std::string form;
    std::size_t locks = 0;
    distribution holds{};
    distribution waits{};
    // The numbers of ended holds, by how the holds ended (hold_end in history.hpp).
    std::size_t released = 0;
    std::size_t taken = 0;
    std::size_t unknown = 0;
};

[[nodiscard]] std::string template_of(std::string_view path);

// Returns at most `most` groups, sorted by the number of holds, most first.
[[nodiscard]] std::vector<template_times> times_by_template(const history& of, std::size_t most);

}  // namespace turnstile::admin
