// SPDX-License-Identifier: Apache-2.0
// take_report: prints what `turnstile ask` and `turnstile take` did: a sentence, or for programs an object.
//
//     {"path": "/locks/a", "outcome": "gave_way", "asked": true, ..., "why": "deployment",
//      "znode": "_c_...-lock-0000000004", "longest_ms": 65000, "contender": {"token": "0x52", "host": ...}}
//
// outcome: `free` (no client holds the lock), `asked`, or an outcome of the page's audit log: gave_way, deleted,
// gone_before. `who` is the operator. The contender has the form of `turnstile show -o json`, as it was found. The
// contender and its znode are null if the lock is free. longest_ms is the longest duration that was announced for a
// take; null if there was no wait.
//
// Thread safety: values and pure functions.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/servers_clock.hpp"
#include "cli/take_options.hpp"
#include "turnstile/lock_survey.hpp"
#include "turnstile/revocation.hpp"

namespace turnstile::cli {

// The progress at the lock so far.
struct take_report {
    std::optional<contender> target{};  // nothing: the lock is free
    bool asked = false;                 // a request was written
    std::optional<revocation_outcome> outcome{};
    std::optional<std::chrono::milliseconds> wait{};  // from the order to the deletion
    servers_clock clock{};                            // for the age of the target
};

// Returns a text such as "web-2, pid 4711, nightly, in the queue for 12 s", by the servers' clock.
[[nodiscard]] std::string description_of(const contender& target,
                                         std::chrono::system_clock::time_point now);

// Returns the plan with its durations, before the first step: "asks; after 5 s orders; deletes the znode 1 min after
// that, ...".
[[nodiscard]] std::string plan_text(const take_options& options, const take_report& report);

// Each returns one line, with its newline.
[[nodiscard]] std::string take_text(const take_options& options, const take_report& report);
[[nodiscard]] std::string take_json(const take_options& options, const take_report& report);

}  // namespace turnstile::cli
