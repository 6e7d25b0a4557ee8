// SPDX-License-Identifier: Apache-2.0
#include "cli/connection.hpp"

#include "cli/exit_code.hpp"
#include "cli/standard_streams.hpp"

namespace turnstile::cli {

int with_client(server_settings& settings,
                const std::function<result<int>(client& servers)>& work) {
    settle_servers(settings);
    auto options = client_options_of(settings);
    options.roles = role_detection::off;
    client servers{settings.servers, options};
    const auto connected = servers.wait_connected(settings.connect_timeout);
    const auto code = connected ? work(servers) : result<int>{connected.error()};
    if (code.has_error())
        return complain(code.error().message(), exit_code_of(code.error().code()));
    return flush_output() ? *code : complain("the output could not be written", k_output);
}

}  // namespace turnstile::cli
