// SPDX-License-Identifier: Apache-2.0
// help: the pages of --help, 80 columns wide. A test compares them with the existing options.
#pragma once

#include <string>
#include <string_view>

namespace turnstile::cli {

[[nodiscard]] std::string program_help();
[[nodiscard]] std::string run_help();
[[nodiscard]] std::string elect_help();
[[nodiscard]] std::string ls_help();
[[nodiscard]] std::string show_help();
[[nodiscard]] std::string watch_help();
[[nodiscard]] std::string ask_help();
[[nodiscard]] std::string take_help();
[[nodiscard]] std::string mkdir_help();
[[nodiscard]] std::string sessions_help();
[[nodiscard]] std::string doctor_help();
[[nodiscard]] std::string bench_help();
[[nodiscard]] std::string serve_help();
[[nodiscard]] std::string dev_help();
[[nodiscard]] std::string completion_help();
[[nodiscard]] std::string manual_help();

// The options that choose the servers, which are part of each page.
[[nodiscard]] std::string_view servers_help() noexcept;

}  // namespace turnstile::cli
