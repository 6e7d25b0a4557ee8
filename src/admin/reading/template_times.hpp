// SPDX-License-Identifier: Apache-2.0
// template_times: the durations of waits and holds for locks with paths of one form, from the history.
//
// The page does not know the templates of programs (turnstile/path_template.hpp). Locks whose paths differ only in the
// last name count as one form: "/orders/17" belongs to "/orders/{}".
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
    // Holds that ended, by the manner of their end.
    std::size_t released = 0;
    std::size_t taken = 0;
    std::size_t unknown = 0;
};

[[nodiscard]] std::string template_of(std::string_view path);

// Returns at most `most` forms, with the most holds first.
[[nodiscard]] std::vector<template_times> times_by_template(const history& of, std::size_t most);

}  // namespace turnstile::admin
