// SPDX-License-Identifier: Apache-2.0
// --allow-host NAME: further names that clients may call an HTTP server of the command.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace turnstile::cli {

inline void add_host_names(CLI::App& command, std::vector<std::string>& names) {
    // Without extra words CLI11 leaves the brackets around an IPv6 address.
    command.add_option("--allow-host", names)->expected(1)->take_all()->allow_extra_args(false);
}

}  // namespace turnstile::cli
