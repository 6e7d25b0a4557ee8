// SPDX-License-Identifier: Apache-2.0
// keeper_orders: the messages between `run` and its keeper. Each is one packet (SOCK_SEQPACKET).
#pragma once

#include <cstddef>
#include <cstdint>

namespace turnstile::cli {

enum class keeper_order : std::uint8_t {
    start,        // value: valid until; the packet goes on with "NAME=value\0" for the environment
    valid_until,  // value: valid until
    hold_over,    // removed, revoked, expired: kill at once
    forward,      // value: the signal for the command's group
};

enum class keeper_report : std::uint8_t {
    started,      // value: the command's process id, its group's too; exec may be under way
    not_started,  // value: errno of fork; after `started`, errno of exec
    ended,        // value: wait status; `intervened`: it was signalled for want of a hold
};

struct order_packet {
    keeper_order order{};
    std::int64_t value = 0;  // for `valid until`: nanoseconds of boottime_clock
};

struct report_packet {
    keeper_report report{};
    bool intervened = false;
    std::int64_t value = 0;
};

// In bytes: the longest argument that a program may get (MAX_ARG_STRLEN).
inline constexpr std::size_t k_largest_order = 131'072;

}  // namespace turnstile::cli
