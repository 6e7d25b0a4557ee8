// SPDX-License-Identifier: Apache-2.0
// --allow-host NAME: adds a host name under which clients may call the command's HTTP server.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace turnstile::cli {

inline void add_host_names(CLI::App& command, std::vector<std::string>& names) {
    // Without allow_extra_args(false), CLI11 removes the brackets of an IPv6 address.
    command.add_option("--allow-host", names)->expected(1)->take_all()->allow_extra_args(false);
}

}  // namespace turnstile::cli
