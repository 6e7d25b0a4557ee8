// SPDX-License-Identifier: Apache-2.0
// rate_gate: lets at most n entries through per period, over all instances.
//
//     turnstile::rate_gate calls{servers, "/limits/partner-api", {.entries = 100, .period = 1min}};
//     if (calls.enter({.timeout = 5s})) call_partner();
//
// A sliding window: in no span of time as long as the period are there more than n entries, measured by
// the stamps that the servers' leader gives to them, so that the instances' clocks do not matter. Entries
// are in the order of the callers' arrival: a caller that has to wait for its time keeps the place. An entry counts
// from when it is written down, whatever its caller does then.
//
// A rule of up to 60 entries is exact: room comes back a period after the oldest entry. A rule of more counts entries in
// slots of a 59th of the period, which give their places up together: room may come back that much later, never earlier.
//
// The record is a persistent znode beside the queue's path, `<path>-record`, of 1.5 KB at most; it holds the stamps, or
// the slots, of one period, and the rule, so that instances that disagree about it are found out.
// How to use it: docs/how-to/job_gate.md; the protocol: docs/why/job_gate.md.
//
// Thread safety: all members from any thread. Threads: none; enter() waits in the caller's.
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

struct rate_rule {
    std::size_t entries = 1;  // 1 to rate_gate::k_most_entries
    boottime_clock::duration
        period{};  // at least a millisecond; counted in whole ones, rounded up; ten years at most
};

struct rate_state {
    std::size_t entered = 0;              // entries that have a place now
    boottime_clock::duration retry_in{};  // until there is room for one; zero: there is
};

class TURNSTILE_EXPORT rate_gate {
public:
    static constexpr std::size_t k_most_entries = 1'000'000;

    // Throws std::system_error: bad_path, bad_option (the rule), closed. Sends nothing.
    rate_gate(const client& servers, std::string_view path, rate_rule rule);
    ~rate_gate();
    rate_gate(const rate_gate&) = delete;
    rate_gate& operator=(const rate_gate&) = delete;

    [[nodiscard]] const std::string& path() const noexcept;

    // Waits for its turn and then for room, and enters. Errors: timeout, cancelled, interrupted and the
    // others of mutex::acquire() and guard::commit(): it has not entered; bad_option: the record has
    // another rule, and the message names both. outcome_unknown: the entry may count, take it for none.
    // A Boost interruption point. Of the options timeout, stop and label are used.
    result<void> enter(acquire_options options = {});
    // Enters if there is room now, else `busy`, with how long it may take in the message; waits only for
    // callers that are entering just now.
    result<void> try_enter(acquire_options options = {});

    // The state now: makes no entry, but queues to learn the leader's time.
    [[nodiscard]] result<rate_state> state(acquire_options options = {}) const;

private:
    class implementation;
    const detail::owned<implementation> state_;
};

}  // namespace turnstile
