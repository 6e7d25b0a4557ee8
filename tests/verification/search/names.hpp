// SPDX-License-Identifier: Apache-2.0
// names: names of sessions and znodes that are independent of the interleaving.
//
// Servers number sessions and transactions over all clients, so each interleaving leads to other numbers and to other
// states. Clients only compare the numbers. So the search replaces the numbers by names that have the same order. A
// session's name consists of its client and the count of that client's sessions. A contender's czxid is its rank among
// all contenders ever created.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/queue/contender_name.hpp"

namespace turnstile::search {

inline constexpr const char* k_folder = "/lock";

using session_name = std::int64_t;
// A contender's rank among all contenders ever created, from 1.
using contender_number = std::uint8_t;

inline constexpr session_name k_sessions_per_client = 100;

constexpr session_name name_session(unsigned client, unsigned count) noexcept {
    return k_sessions_per_client * (client + 1) + count;
}
constexpr unsigned client_of(session_name session) noexcept {
    return static_cast<unsigned>(session / k_sessions_per_client) - 1;
}

// Returns the number of the contender with this path or name; 0 for other znodes.
inline contender_number number_of(std::string_view znode) {
    const auto sequence = core::contender_sequence(znode.substr(znode.rfind('/') + 1));
    return sequence ? static_cast<contender_number>(*sequence + 1) : contender_number{0};
}

inline std::string text_of(contender_number number) {
    return "znode " + std::to_string(static_cast<unsigned>(number));
}

}  // namespace turnstile::search
