// SPDX-License-Identifier: Apache-2.0
// taking: the options of `turnstile ask` and `turnstile take`, the choice of the contender, and the printed result.
//
// Thread safety: values and pure functions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/connection.hpp"
#include "cli/option_types.hpp"
#include "cli/servers.hpp"
#include "turnstile/lock_survey.hpp"
#include "turnstile/result.hpp"
#include "turnstile/revocation.hpp"

namespace turnstile::cli {

struct take_options {
    server_settings servers;
    std::string path;
    std::string znode;                                // the contender's; empty: the holder's
    std::string by;                                   // the operator, for the record
    std::string reason;                               // for the record
    std::chrono::milliseconds asked_for{5'000};       // between the request and the order
    std::optional<std::chrono::milliseconds> wait{};  // between the order and the deletion
    bool now = false;                                 // without request and order
    bool yes = false;                                 // without a question
    output_form form = output_form::text;
};

// Chooses the contender at the path; nothing if the lock is free. Error: bad_option, if there are several holders, or
// if no contender has the given name.
[[nodiscard]] result<std::optional<contender>> chosen_contender(
    const std::vector<surveyed_lock>& locks, const take_options& options);

// Returns this process's user and the host, such as "alice@web-2".
[[nodiscard]] std::string operator_name();

// Prints the result of `turnstile ask` and `turnstile take`, as a sentence or as JSON.
//
//     {"path": "/locks/a", "outcome": "gave_way", "asked": true, ..., "why": "deployment",
//      "znode": "_c_...-lock-0000000004", "longest_ms": 65000, "contender": {"token": "0x52", "host": ...}}
//
// outcome: `free` (no client holds the lock), `asked`, or an outcome of the admin page's audit log: gave_way, deleted,
// gone_before. `who`: the operator. `contender`: as in `turnstile show -o json`, before the operation. `contender` and
// `znode` are null if the lock is free. `longest_ms`: the announced longest duration of a take; null if there was no
// wait.
struct take_report {
    std::optional<contender> target{};  // nothing: the lock is free
    bool asked = false;                 // a request was written
    std::optional<revocation_outcome> outcome{};
    std::optional<std::chrono::milliseconds> wait{};  // from the order to the deletion
    servers_clock clock{};                            // for the age of the target
};

// Returns a text such as "web-2, pid 4711, nightly, in the queue for 12 s". `now`: by the servers' clock.
[[nodiscard]] std::string description_of(const contender& target,
                                         std::chrono::system_clock::time_point now);

// Returns the steps of a take and their durations: "turnstile asks the contender to release, orders it to release after
// 5 s, and deletes its znode 1 min after the order; ...".
[[nodiscard]] std::string plan_text(const take_options& options, const take_report& report);

// Each of these functions returns one line, with its newline.
[[nodiscard]] std::string take_text(const take_options& options, const take_report& report);
[[nodiscard]] std::string take_json(const take_options& options, const take_report& report);

}  // namespace turnstile::cli
