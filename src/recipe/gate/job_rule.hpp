// SPDX-License-Identifier: Apache-2.0
// job_rule: decides when a job may be started, and reads and writes its record, as pure functions of stamps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "turnstile/job_gate.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// The record of a run that has just been started or ends now. The text has no stamp for this start or end, because
// the servers give one to the write: "state=running run=7 by=host-1 missed=0" and "state=ok run=7 by=host-1 missed=0
// started=1763724876000".
[[nodiscard]] std::string to_text(const job_record& record);
// `written`: the znode's mtime. nullopt if the text is no record.
[[nodiscard]] std::optional<job_record> parse_job(std::string_view text, std::int64_t written);

struct job_decision {
    job_verdict verdict = job_verdict::ran;  // ran: the job may be started
    std::int64_t wait = 0;                   // milliseconds, unless the job may be started
    std::uint64_t missed = 0;
    friend bool operator==(const job_decision&, const job_decision&) = default;
};

// Milliseconds. `now` is the leader's clock at some moment under the lock.
struct job_terms {
    std::int64_t period = 0;
    std::int64_t at_least_for = 0;
    std::int64_t at_most_for = 0;
};

// bad_option: an impossible span, or rules under which the job could run again at once.
[[nodiscard]] result<job_terms> terms_of(const job_rules& rules);

[[nodiscard]] job_decision decide_job(const job_record& last, std::int64_t now,
                                      const job_terms& terms);

}  // namespace turnstile::detail
