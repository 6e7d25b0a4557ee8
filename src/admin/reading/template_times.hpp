// SPDX-License-Identifier: Apache-2.0
// template_times: the durations of waits and holds for groups of locks with similar paths, from the history.
//
// The server does not know the programs' path templates (turnstile/path_template.hpp). So it groups locks whose paths
// differ only in the last name: "/orders/17" belongs to "/orders/{}".
//
// Thread safety: values; pure functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "admin/reading/distribution.hpp"
#include "admin/reading/history.hpp"

namespace turnstile::admin {

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
