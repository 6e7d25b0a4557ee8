// SPDX-License-Identifier: Apache-2.0
// ask_servers: sends a four-letter word ("srvr", "conf") to servers, each over a separate connection.
//
// Thread safety: all functions from any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/seam/seam.hpp"
#include "zookeeper/addresses.hpp"

namespace turnstile::zookeeper {

struct word_answer {
    bool connected = false;
    int failure = 0;      // errno, if the connection failed
    std::string fault{};  // the reason if the TLS handshake failed
    bool whole = false;   // the server closed the connection after its answer
    std::string text{};
    core::duration took{};  // from the first packet to the end of the answer
};

// ask_servers() keeps this many bytes of each answer, unless the caller passes another limit. The answers to "srvr" and
// "conf" are shorter.
inline constexpr std::size_t k_longest_answer = 8192;

// Asks all servers at once. Returns the answers in the order of the servers, cut off at `longest` bytes. Blocks until
// all servers have answered or failed, `enough` accepts an answer, `limit` has passed, or the descriptor `give_up`
// becomes readable.
[[nodiscard]] std::vector<word_answer> ask_servers(
    const std::vector<socket_address>& servers, std::string_view word, int give_up,
    core::duration limit, const std::function<bool(const word_answer&)>& enough,
    std::size_t longest = k_longest_answer);

// Returns the whole answer of one server to the word; empty if the server gives none.
[[nodiscard]] std::string ask_server(const socket_address& server, std::string_view word,
                                     int give_up, core::duration limit);

}  // namespace turnstile::zookeeper
