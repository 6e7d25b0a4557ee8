// SPDX-License-Identifier: Apache-2.0
// events: what a worker and the director write down about a run; everything that the demo prints,
// draws and checks comes from these.
//
// A worker sends each event as one line over a pipe; lines are shorter than PIPE_BUF, so that those
// of several workers never mix. Times are of CLOCK_BOOTTIME, one clock for all processes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "turnstile/clock.hpp"
#include "turnstile/fencing_token.hpp"

namespace demo {

using time_point = turnstile::boottime_clock::time_point;
using duration = turnstile::boottime_clock::duration;

// | kind           | of       | when                                         | number                       |
// |----------------|----------|----------------------------------------------|------------------------------|
// | ready          | worker   | connected, waits for the start               |                              |
// | asked          | worker   | before acquire()                             |                              |
// | granted        | worker   | acquire() returned a hold                    | sequence number of its znode |
// | parked         | worker   | told to, stands in its critical section      |                              |
// | lost           | worker   | saw valid() == false                         | valid_until, ns since boot   |
// | sold           | worker   | its write was accepted                       | the item                     |
// | refused        | worker   | its write was refused by the fencing rule    | the item                     |
// | released       | worker   | before unlock()                              |                              |
// | sold_out       | worker   | found the stock empty, ends                  |                              |
// | failed         | worker   | acquire() failed, see text                   |                              |
// | killed         | director | before SIGKILL                               |                              |
// | killed_guarded | director | before SIGKILL of the worker with a guardian |                              |
// | killed_again   | director | before SIGKILL of a second worker without    |                              |
// | stopped        | director | before SIGSTOP                               |                              |
// | resumed        | director | before SIGCONT                               |                              |
// | server_killed  | director | before SIGKILL of the server; its holder     |                              |
// | server_back    | director | the server answers again                     |                              |
enum class event_kind {
    ready,
    asked,
    granted,
    parked,
    lost,
    sold,
    refused,
    released,
    sold_out,
    failed,
    killed,
    killed_guarded,
    killed_again,
    stopped,
    resumed,
    server_killed,
    server_back,
};

struct event {
    event_kind kind = event_kind::ready;
    int worker = 0;  // counted from 1
    time_point at{};
    turnstile::fencing_token token;  // of the hold that it is about, if any
    std::int64_t number = 0;
    std::uint64_t epoch = 0;  // granted: counts the sessions of this worker
    std::string text;         // failed: why; refused: the highest token that the stock had seen

    friend bool operator==(const event&, const event&) = default;
};

[[nodiscard]] std::string_view to_string(event_kind kind) noexcept;

// One line without its end, and back; a line of another form gives nothing.
[[nodiscard]] std::string to_line(const event& e);
[[nodiscard]] std::optional<event> parse_line(std::string_view line);

}  // namespace demo
