// SPDX-License-Identifier: Apache-2.0
// keeper_orders: the messages between `turnstile run` and the process that watches its command (the keeper,
// cli/keeper.hpp). Each message is one packet (SOCK_SEQPACKET).
#pragma once

#include <cstddef>
#include <cstdint>

namespace turnstile::cli {

enum class keeper_order : std::uint8_t {
    start,        // value: end of the hold; then "NAME=value\0" for each environment variable
    valid_until,  // value: end of the hold
    hold_over,    // removed, revoked, expired: kill at once
    forward,      // value: the signal for the command's group
};

enum class keeper_report : std::uint8_t {
    started,      // value: the process id of the command and of its group; exec may be in progress
    not_started,  // value: errno of fork; after `started`, errno of exec
    ended,        // value: wait status; `intervened`: supervision::intervened()
};

struct order_packet {
    keeper_order order{};
    std::int64_t value = 0;  // an end of a hold: nanoseconds of boottime_clock
};

struct report_packet {
    keeper_report report{};
    bool intervened = false;
    std::int64_t value = 0;
};

// In bytes: the longest argument that a program may get (MAX_ARG_STRLEN).
inline constexpr std::size_t k_largest_order = 131'072;

}  // namespace turnstile::cli
