// SPDX-License-Identifier: Apache-2.0
// Counts the packets on all sessions' connections to a server. The server reports these counts for each connection.
#pragma once

#include <charconv>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "support.hpp"

namespace turnstile::tests {

struct packets {
    std::int64_t received = 0;
    std::int64_t sent = 0;
};

inline std::int64_t packet_field(const std::string& line, std::string_view name) {
    const auto at = line.find(std::string{name} + '=');
    std::int64_t value = 0;
    if (at != std::string::npos)
        std::from_chars(line.data() + at + name.size() + 1, line.data() + line.size(), value);
    return value;
}

// The server sends one answer packet for each request that it received. So all further packets that it sent are events.
inline packets counted_packets(ensemble& servers) {
    packets all;
    std::istringstream lines{servers.four_letter_word(0, "cons")};
    for (std::string line; std::getline(lines, line);) {
        if (line.find("sid=") == std::string::npos) continue;
        all.received += packet_field(line, "recved");
        all.sent += packet_field(line, "sent");
    }
    return all;
}

}  // namespace turnstile::tests
