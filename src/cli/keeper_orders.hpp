// SPDX-License-Identifier: Apache-2.0
// keeper_orders: what `turnstile run` and the process that watches its command (the keeper, cli/keeper.hpp) say to each
// other: the settings at the keeper's start, and then messages.
#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/supervision.hpp"

namespace turnstile::cli {

// The command that the keeper starts, and how the keeper ends it.
struct keeper_settings {
    std::vector<std::string> command;
    lost_policy policy = lost_policy::terminate;
    std::chrono::milliseconds grace{};
    sigset_t signals{};  // the signal mask of the command
    int status_fd = -1;  // the command inherits it
};

// Each of the following messages is one packet (SOCK_SEQPACKET).
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
