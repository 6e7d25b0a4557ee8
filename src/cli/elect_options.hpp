// SPDX-License-Identifier: Apache-2.0
// elect_options: what `turnstile elect` is told on its command line.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/http_address.hpp"
#include "cli/keeping_options.hpp"
#include "cli/output_option.hpp"
#include "cli/servers.hpp"

namespace turnstile::cli {

struct elect_options {
    std::string path;
    keeping_options keeping;
    server_settings servers;
    std::string id;                        // what others see; empty: <host>-<pid>
    std::string data{};                    // published with it
    std::optional<http_address> http{};    // answers there
    std::vector<std::string> names{};      // that clients may call this server
    bool once = false;                     // ends with the first command that has run
    bool listen = false;                   // prints leaders, takes no part
    output_form form = output_form::text;  // of leaders
    bool quiet = false;
    std::chrono::milliseconds pause{1'000};  // from one term's end to the next entry
};

}  // namespace turnstile::cli
