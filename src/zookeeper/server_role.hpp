// SPDX-License-Identifier: Apache-2.0
// server_role: asks servers for their role and their software by the command "srvr", and for their pace (tickTime and
// syncLimit) by "conf", over separate connections. Many ensembles allow only "srvr" (4lw.commands.whitelist).
//
// Thread safety: from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/seam/seam.hpp"
#include "turnstile/server_health.hpp"
#include "zookeeper/addresses.hpp"

namespace turnstile::zookeeper {

// Returns the role in an answer to "srvr"; unknown for any other answer ("is not executed because it is not in the
// whitelist", "This ZooKeeper instance is not currently serving requests").
[[nodiscard]] server_role parse_role(std::string_view answer) noexcept;

// Returns tickTime and syncLimit from an answer to "conf"; nothing for any other answer.
[[nodiscard]] std::optional<core::server_pace> parse_pace(std::string_view answer) noexcept;

enum class server_software { unknown, zookeeper, another };

// Returns the software that the first line of an answer to "srvr" names; unknown if the server refused "srvr".
[[nodiscard]] server_software parse_software(std::string_view answer) noexcept;

// Returns the reason why the client cannot use a server of this version, from an answer to "srvr": "is ZooKeeper
// 3.4.13, and ...". Empty for a version that the client uses, and for any other answer.
[[nodiscard]] std::string version_fault(std::string_view answer);

struct server_answers {
    server_software software = server_software::unknown;
    server_role role = server_role::unknown;
    std::optional<core::server_pace> pace{};
};

// Asks all servers at once, and returns the first server that has the role `wanted`. Blocks until a server with this
// role answers, all servers have answered or failed, `limit` has passed, or the descriptor `give_up` becomes readable.
[[nodiscard]] std::optional<socket_address> find_role(const std::vector<socket_address>& servers,
                                                      server_role wanted, int give_up,
                                                      core::duration limit);

// ---- the answers in reports to people ----
// Fills in the values of an answer to "srvr". If the answer contains no role, names the problem.
void read_srvr(std::string_view answer, server_health& into);

// Parses an answer to "conf". Returns nothing for any other text.
[[nodiscard]] std::optional<server_configuration> read_conf(std::string_view answer);

// True if the server has answered that the four-letter word is not in the server's 4lw.commands.whitelist.
[[nodiscard]] bool is_refused(std::string_view answer) noexcept;

}  // namespace turnstile::zookeeper
