// SPDX-License-Identifier: Apache-2.0
// job_rule: decides when a job may start, and converts the job's record to text, as pure functions of time stamps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "turnstile/job_gate.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// Returns the text of a run that was just started or that ends now: "state=running run=7 by=host-1 missed=0", or
// "state=ok run=7 by=host-1 missed=0 started=1763724876000". The text has no time stamp of this start or end, because
// the servers add a time stamp to the write.
[[nodiscard]] std::string to_text(const job_record& record);
// Parses a record; nothing if the text is no record. `written`: the znode's mtime.
[[nodiscard]] std::optional<job_record> parse_job(std::string_view text, std::int64_t written);

struct job_decision {
    job_verdict verdict = job_verdict::ran;  // `ran`: the job may start now
    std::int64_t wait = 0;                   // milliseconds until it may start
    std::uint64_t missed = 0;
    friend bool operator==(const job_decision&, const job_decision&) = default;
};

// The durations of job_rules, in milliseconds.
struct job_terms {
    std::int64_t period = 0;
    std::int64_t at_least_for = 0;
    std::int64_t at_most_for = 0;
};

// Converts the rules to milliseconds. Error bad_option: an impossible duration, or rules by which the job could run
// again at once.
[[nodiscard]] result<job_terms> terms_of(const job_rules& rules);

[[nodiscard]] job_decision decide_job(const job_record& last, std::int64_t now,
                                      const job_terms& terms);

}  // namespace turnstile::detail
