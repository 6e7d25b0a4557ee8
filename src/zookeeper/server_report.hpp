// SPDX-License-Identifier: Apache-2.0
// server_report: parses a server's answers to "srvr" and "conf" for reports to people.
//
// Thread safety: pure functions.
#pragma once

#include <string_view>

#include "turnstile/server_health.hpp"

namespace turnstile::zookeeper {

// Fills in the values of an answer to "srvr". If the answer contains no role, names the problem.
void read_srvr(std::string_view answer, server_health& into);

// Parses an answer to "conf". Returns nothing for any other text.
[[nodiscard]] std::optional<server_configuration> read_conf(std::string_view answer);

// True if the server has answered that the four-letter word is not in the server's 4lw.commands.whitelist.
[[nodiscard]] bool is_refused(std::string_view answer) noexcept;

}  // namespace turnstile::zookeeper
