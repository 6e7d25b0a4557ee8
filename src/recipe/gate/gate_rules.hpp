// SPDX-License-Identifier: Apache-2.0
// gate_rules: when a gate opens, as pure functions of time stamps, and the text of the gate's record in its znode. A
// job gate decides when a job may start, a rate gate whether there is room for another entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/node/node_data.hpp"
#include "turnstile/job_gate.hpp"
#include "turnstile/rate_gate.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// ---- jobs ----
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

// ---- rates ----
// A group of entries. The record drops all of them together, one period after the latest entry.
struct rate_group {
    std::int64_t latest = 0;  // stamp in milliseconds, by the clock of the servers' leader
    std::size_t entries = 1;
    friend bool operator==(const rate_group&, const rate_group&) = default;
};

// The entries of a gate, in groups. If the rule allows at most k_most_groups entries in a period, each entry forms a
// group. If the rule allows more, the period is divided into k_slots slots, and all entries of a slot form one group,
// so that there are at most k_most_groups. All entries of a group count as if they came with the latest entry. So room
// may become free up to one slot late, but never early.
struct rate_record {
    static constexpr std::size_t k_most_groups = 60;
    static constexpr std::int64_t k_slots =
        59;  // a period that begins inside a slot touches one more slot

    std::size_t entries = 1;
    std::int64_t period = 0;
    std::vector<rate_group> groups{};  // sorted by stamp
    friend bool operator==(const rate_record&, const rate_record&) = default;

    void add(const rate_group& more);
    // Number of entries in all groups.
    [[nodiscard]] std::size_t entered() const;

    // Returns a text like "entries=100 period=60000 at=1763724876000*17,1763724877012": for each group the time stamp
    // of its latest entry, and the number of its entries if there are several. The text omits the newest entry, because
    // the servers add the time stamp of that entry to the write, as the znode's mtime.
    [[nodiscard]] std::string to_string() const;
    // Parses a record; nothing for any other text. `written`: the znode's mtime, which is the stamp of the newest
    // entry.
    [[nodiscard]] static std::optional<rate_record> parse(std::string_view text,
                                                          std::int64_t written);
};

// Returns a record that has this rule and no entries. Error bad_option: the rule makes no sense.
[[nodiscard]] result<rate_record> empty_record(const rate_rule& rule);

// Returns the record in the data of the znode `<path>-record`. Errors: `protocol` if the data are no record,
// `bad_option` if the record has another rule.
[[nodiscard]] result<rate_record> record_of(const rate_record& rule, const stamped_data& found,
                                            const std::string& path);

// Removes each group of entries whose latest entry is at least one period old. `now`: milliseconds since 1970.
void forget_old(rate_record& record, std::int64_t now);
// Returns the time until there is room for another entry; zero or less if there is room. Call forget_old() before.
[[nodiscard]] std::int64_t wait_for_room(const rate_record& record, std::int64_t now);
// Returns the error `busy`, for a caller that does not wait.
[[nodiscard]] error no_room(const rate_record& record, std::int64_t wait, const std::string& path);

}  // namespace turnstile::detail
