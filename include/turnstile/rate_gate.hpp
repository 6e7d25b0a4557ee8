// SPDX-License-Identifier: Apache-2.0
// rate_gate: lets at most n entries through per period, over all instances of a service.
//
// Use it to respect the rate limit of another company's interface.
//
//     turnstile::rate_gate calls{servers, "/limits/partner-api", {.entries = 100, .period = 1min}};
//     if (calls.enter({.timeout = 5s})) call_partner();
//
// The window slides: no time span of one period contains more than n entries. The servers' leader gives the entries
// their time stamps, so the clocks of the instances do not matter. Callers enter in the order of their arrival: a
// caller that has to wait for its time keeps its place in the queue. An entry counts from the moment when it is
// recorded, whatever its caller does afterwards.
//
// A rule of up to 60 entries is exact: an entry stops counting exactly one period after it was recorded. For a larger
// rule the gate counts entries in time slots of 1/59 of the period, and all entries of a slot stop counting together.
// So an entry may become possible up to one slot later than by an exact count, but never earlier.
//
// The gate keeps its record in a persistent znode beside its path, `<path>-record`, of at most 1.5 KB. The record
// contains the time stamps or the slots of one period. It also contains the rule, so that an instance with a different
// rule gets an error. How to use a gate: docs/how-to/job_gate.md. The protocol: docs/why/job_gate.md.
//
// Thread safety: any thread may call any member. The gate starts no thread; enter() waits in the caller's thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/export.hpp"
#include "turnstile/owned.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// A rate limit: at most `entries` entries per `period`. All instances of a service must use the same rule.
struct rate_rule {
    std::size_t entries = 1;  // 1 to rate_gate::k_most_entries
    // The period: from a millisecond to ten years, in whole milliseconds, rounded up.
    boottime_clock::duration period{};
};

// The state of a gate at one instant.
struct rate_state {
    std::size_t entered = 0;              // entries within the last period
    boottime_clock::duration retry_in{};  // time until the next entry is possible; zero: now
};

// A gate on one path.
class TURNSTILE_EXPORT rate_gate {
public:
    // The largest allowed value of rate_rule::entries.
    static constexpr std::size_t k_most_entries = 1'000'000;

    // Makes a gate, and sends nothing. Throws std::system_error: `bad_path`, `bad_option` (the rule is out of range),
    // `closed` (`servers` was moved from).
    rate_gate(const client& servers, std::string_view path, rate_rule rule);
    // Refuses a temporary client, which would close at the end of the statement.
    rate_gate(client&&, std::string_view, rate_rule) = delete;
    ~rate_gate();
    rate_gate(const rate_gate&) = delete;
    rate_gate& operator=(const rate_gate&) = delete;

    // Returns the path that was given to the constructor.
    [[nodiscard]] const std::string& path() const noexcept;

    // Waits until the caller is first in the queue and the rule allows an entry, and records the entry. The call is a
    // Boost interruption point. It uses the options timeout, stop and label. Errors:
    // - `timeout`, `cancelled`, `interrupted` and the other errors of mutex::acquire() and guard::commit(): the caller
    //   has not entered.
    // - `bad_option`: the gate's record at the servers has another rule. The message names both rules.
    // - `outcome_unknown`: the entry may have been recorded. The caller must act as if it has not entered.
    result<void> enter(acquire_options options = {});
    // Enters if the rule allows an entry now; otherwise returns `busy`, with the expected wait in the message. The call
    // waits for callers that are entering at the same moment. It also waits while a mutex or `turnstile run` holds the
    // lock at the path.
    result<void> try_enter(acquire_options options = {});
    // Takes a timeout or a deadline in place of options: enter(30s).
    template <waiting_time W>
    result<void> enter(const W& limit) {
        return enter(acquire_options{.timeout = limit});
    }
    template <waiting_time W>
    result<void> try_enter(const W& limit) {
        return try_enter(acquire_options{.timeout = limit});
    }

    // Returns the present state. The call records no entry, but joins the queue for a moment, to read the clock of the
    // servers' leader.
    [[nodiscard]] result<rate_state> state(acquire_options options = {}) const;
    // Takes a timeout or a deadline in place of options: state(2s).
    template <waiting_time W>
    [[nodiscard]] result<rate_state> state(const W& limit) const {
        return state({.timeout = limit});
    }

private:
    class implementation;
    const detail::owned<implementation> state_;
};

}  // namespace turnstile
