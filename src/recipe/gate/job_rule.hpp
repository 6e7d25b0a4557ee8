// SPDX-License-Identifier: Apache-2.0
// job_rule: when a job may be started, and what its record says, as pure functions of stamps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "turnstile/job_gate.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// The record of a run that ends or has just been started: its own start or end is not in the text but in
// the stamp that the servers give to the write, "state=running run=7 by=host-1 missed=0" and
// "state=ok run=7 by=host-1 missed=0 started=1763724876000".
[[nodiscard]] std::string to_text(const job_record& record);
// `written`: the znode's mtime. Nothing if the text is no record.
[[nodiscard]] std::optional<job_record> parse_job(std::string_view text, std::int64_t written);

struct job_decision {
    job_verdict verdict = job_verdict::ran;  // ran: it may be started
    std::int64_t wait = 0;                   // milliseconds, unless it may
    std::uint64_t missed = 0;
    friend bool operator==(const job_decision&, const job_decision&) = default;
};

// Milliseconds. With `now` the leader's clock at some moment under the lock.
struct job_terms {
    std::int64_t period = 0;
    std::int64_t at_least_for = 0;
    std::int64_t at_most_for = 0;
};

// bad_option: a span that cannot be, or nothing that keeps the job from running at once again.
[[nodiscard]] result<job_terms> terms_of(const job_rules& rules);

[[nodiscard]] job_decision decide_job(const job_record& last, std::int64_t now,
                                      const job_terms& terms);

}  // namespace turnstile::detail
