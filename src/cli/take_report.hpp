// SPDX-License-Identifier: Apache-2.0
// take_report: what `turnstile ask` and `turnstile take` print of what they did: a sentence, or for programs an object.
//
//     {"path": "/locks/a", "outcome": "gave_way", "asked": true, "who": "ops", "why": "deployment",
//      "znode": "_c_...-lock-0000000004", "contender": {"token": "0x52", "host": ...}}
//
// outcome: free (nobody holds it), asked, and those of the page's audit log: gave_way, deleted, gone_before. The
// contender is as it was found, in the form of `turnstile show -o json`; it and its znode are null at a free lock.
//
// Thread safety: values and pure functions.
#pragma once

#include <optional>
#include <string>

#include "cli/take_options.hpp"
#include "turnstile/lock_survey.hpp"
#include "turnstile/revocation.hpp"

namespace turnstile::cli {

// What was done at the lock so far.
struct take_report {
    std::optional<contender> target{};  // nothing: the lock is free
    bool asked = false;                 // a request was written
    std::optional<revocation_outcome> outcome{};
};

// "web-2, pid 4711, nightly, there for 12 s"
[[nodiscard]] std::string description_of(const contender& target);

// One line each, with its end.
[[nodiscard]] std::string take_text(const take_options& options, const take_report& report);
[[nodiscard]] std::string take_json(const take_options& options, const take_report& report);

}  // namespace turnstile::cli
