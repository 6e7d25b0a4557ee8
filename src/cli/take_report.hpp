// SPDX-License-Identifier: Apache-2.0
// take_report: what `turnstile ask` and `turnstile take` print of what they did: a sentence, or for programs an object.
//
//     {"path": "/locks/a", "outcome": "gave_way", "asked": true, "who": "ops", "why": "deployment",
//      "znode": "_c_...-lock-0000000004", "longest_ms": 65000, "contender": {"token": "0x52", "host": ...}}
//
// outcome: free (nobody holds it), asked, and those of the page's audit log: gave_way, deleted, gone_before. The
// contender is as it was found, in the form of `turnstile show -o json`; it and its znode are null at a free lock. longest_ms
// is how long a take might have lasted, as it was said before; null where nothing was waited for.
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

// What was done at the lock so far.
struct take_report {
    std::optional<contender> target{};  // nothing: the lock is free
    bool asked = false;                 // a request was written
    std::optional<revocation_outcome> outcome{};
    std::optional<std::chrono::milliseconds> wait{};  // from the order to the deletion
    servers_clock clock{};                            // for the age of the target
};

// "web-2, pid 4711, nightly, there for 12 s", by the servers' clock.
[[nodiscard]] std::string description_of(const contender& target,
                                         std::chrono::system_clock::time_point now);

// How long it may take, before anything is done: "asks; after 5 s orders; deletes the znode 1 min after that, ...".
[[nodiscard]] std::string plan_text(const take_options& options, const take_report& report);

// One line each, with its end.
[[nodiscard]] std::string take_text(const take_options& options, const take_report& report);
[[nodiscard]] std::string take_json(const take_options& options, const take_report& report);

}  // namespace turnstile::cli
