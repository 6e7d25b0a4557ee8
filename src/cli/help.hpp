// SPDX-License-Identifier: Apache-2.0
// help: the pages that --help prints, 80 columns wide. A test holds them against the options that there are.
#pragma once

#include <string>

namespace turnstile::cli {

[[nodiscard]] std::string program_help();
[[nodiscard]] std::string run_help();
[[nodiscard]] std::string elect_help();
[[nodiscard]] std::string ls_help();
[[nodiscard]] std::string show_help();
[[nodiscard]] std::string watch_help();
[[nodiscard]] std::string ask_help();
[[nodiscard]] std::string take_help();
[[nodiscard]] std::string dev_help();

}  // namespace turnstile::cli
