// SPDX-License-Identifier: Apache-2.0
// settings: what the director and its workers must agree on.
#pragma once

#include <chrono>
#include <string_view>

#include "record.hpp"
#include "turnstile/client_options.hpp"

namespace demo {

constexpr std::string_view k_lock_path = "/demo/stock";
constexpr std::string_view k_stock_file = "stock";
constexpr std::string_view k_sales_file = "sales";
constexpr std::string_view k_events_pipe = "events";

// The first argument of a process that is a worker.
constexpr std::string_view k_worker_command = "worker";

// Commands to a worker, one a line.
constexpr std::string_view k_start = "start";  // sell until the stock is empty
constexpr std::string_view k_park = "park";    // stay in the critical section, once
constexpr std::string_view k_go_on = "go on";  // end of that

[[nodiscard]] inline turnstile::client_options client_options_for(const run_settings& settings,
                                                                  std::string_view label) {
    turnstile::client_options options;
    options.session_timeout = settings.session_timeout;
    options.lease.tick = settings.tick;
    options.label = label;
    return options;
}

}  // namespace demo
