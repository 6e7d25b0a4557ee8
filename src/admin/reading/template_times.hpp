// SPDX-License-Identifier: Apache-2.0
// template_times: how long the locks of one form were waited for and held, of the holds that the history has.
//
// The page does not know the templates of programs (turnstile/path_template.hpp). Locks whose paths differ in the last
// name alone count as one form: "/orders/17" is of "/orders/{}".
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
    // Holds that ended, by their end.
    std::size_t released = 0;
    std::size_t taken = 0;
    std::size_t unknown = 0;
};

[[nodiscard]] std::string template_of(std::string_view path);

// The forms with most holds first, at most `most`.
[[nodiscard]] std::vector<template_times> times_by_template(const history& of, std::size_t most);

}  // namespace turnstile::admin
