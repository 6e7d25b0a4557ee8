// SPDX-License-Identifier: Apache-2.0
// ask_servers: four-letter words ("srvr", "conf"), each over a connection of its own.
//
// Thread safety: functions, from any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/seam/seam.hpp"
#include "zookeeper/socket_address.hpp"

namespace turnstile::zookeeper {

// What came of a question to one server.
struct word_answer {
    bool connected = false;
    int failure = 0;      // errno, where no connection could be made
    std::string fault{};  // why TLS could not be agreed on
    bool whole = false;   // the server has closed the connection behind its answer
    std::string text{};
    core::duration took{};  // from the first packet to the end of the answer
};

// A role and a configuration are shorter.
inline constexpr std::size_t k_longest_answer = 8192;

// The answers, in the order of `servers`, which are asked all at once. Blocks until all are whole or have failed, one is
// `enough`, `limit` has passed, or `give_up`, a descriptor, becomes readable. An answer is cut off at `longest` bytes.
[[nodiscard]] std::vector<word_answer> ask_servers(
    const std::vector<socket_address>& servers, std::string_view word, int give_up,
    core::duration limit, const std::function<bool(const word_answer&)>& enough,
    std::size_t longest = k_longest_answer);

// The whole answer of one server; empty if there is none.
[[nodiscard]] std::string ask_server(const socket_address& server, std::string_view word,
                                     int give_up, core::duration limit);

}  // namespace turnstile::zookeeper
