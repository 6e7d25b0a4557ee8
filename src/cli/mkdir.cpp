// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/help.hpp"
#include "cli/option_types.hpp"
#include "turnstile/tools/make_folder.hpp"

namespace turnstile::cli {

void add_mkdir_command(CLI::App& program, command_line& line) {
    struct mkdir_options {
        server_settings servers;
        std::string path;
    };
    auto& command = *program.add_subcommand("mkdir");
    command.formatter_fn([](auto&&...) { return mkdir_help(); });
    const auto options = std::make_shared<mkdir_options>();
    options->servers.create_chroot = true;
    add_folder_path(command, "PATH", options->path)->required();
    add_server_options(command, options->servers);
    command.final_callback([options, &line] {
        if (options->path != "/") check_lock_path(options->path);
        line.action = [options] {
            return with_client(options->servers, [&](client& servers) -> result<int> {
                const auto created =
                    make_folder(servers, options->path, options->servers.connect_timeout);
                if (!created) return created.error();
                return k_success;
            });
        };
    });
}

}  // namespace turnstile::cli
