// SPDX-License-Identifier: Apache-2.0
// ask_servers: sends four-letter words ("srvr", "conf"), each over a separate connection.
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

// The result of a question to one server.
struct word_answer {
    bool connected = false;
    int failure = 0;      // errno, if no connection could be made
    std::string fault{};  // the reason if the TLS handshake failed
    bool whole = false;   // the server has closed the connection after its answer
    std::string text{};
    core::duration took{};  // from the first packet to the end of the answer
};

// A role and a configuration are shorter.
inline constexpr std::size_t k_longest_answer = 8192;

// Asks all servers at once. Returns the answers in their order, cut off at `longest` bytes. Blocks until all are whole
// or have failed, one is `enough`, `limit` has passed, or `give_up`, a descriptor, becomes readable.
[[nodiscard]] std::vector<word_answer> ask_servers(
    const std::vector<socket_address>& servers, std::string_view word, int give_up,
    core::duration limit, const std::function<bool(const word_answer&)>& enough,
    std::size_t longest = k_longest_answer);

// The whole answer of one server; empty if there is none.
[[nodiscard]] std::string ask_server(const socket_address& server, std::string_view word,
                                     int give_up, core::duration limit);

}  // namespace turnstile::zookeeper
