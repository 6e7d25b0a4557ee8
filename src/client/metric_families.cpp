// SPDX-License-Identifier: Apache-2.0
// The table of the library's metrics, with names, units and descriptions. Every exporter uses this table.
#include <string>
#include <utility>

#include "client/lock_series.hpp"
#include "turnstile/metrics.hpp"

namespace turnstile {

namespace {

using labels = std::vector<std::pair<std::string, std::string>>;

labels lock_labels(const lock_numbers& of) {
    return {{"lock", of.series}};
}

template <class Value>
metric_family per_lock(const metrics_snapshot& numbers, std::string name, metric_kind kind,
                       std::string help, Value&& value) {
    metric_family family{std::move(name), kind, std::move(help)};
    for (const auto& each : numbers.locks)
        family.samples.push_back({lock_labels(each), static_cast<double>(value(each))});
    return family;
}

metric_family histograms(const metrics_snapshot& numbers, std::string name, std::string help,
                         metric_histogram lock_numbers::*histogram) {
    metric_family family{std::move(name), metric_kind::histogram, std::move(help)};
    for (const auto& each : numbers.locks)
        family.samples.push_back({lock_labels(each), 0, each.*histogram});
    return family;
}

metric_family reasons(const metrics_snapshot& numbers, std::string name, std::string help,
                      std::map<std::string, std::uint64_t> lock_numbers::*counts) {
    metric_family family{std::move(name), metric_kind::counter, std::move(help)};
    for (const auto& each : numbers.locks) {
        for (const auto& [why, count] : each.*counts) {
            auto named = lock_labels(each);
            named.emplace_back("reason", why);
            family.samples.push_back({std::move(named), static_cast<double>(count)});
        }
    }
    return family;
}

metric_family margins(const metrics_snapshot& numbers) {
    metric_family family{"turnstile_lock_lease_margin_seconds", metric_kind::gauge,
                         "Shortest time that is left in the lease of a present hold."};
    for (const auto& each : numbers.locks)
        if (each.lease_margin)
            family.samples.push_back({lock_labels(each), detail::in_seconds(*each.lease_margin)});
    return family;
}

metric_family session_states(const metrics_snapshot& numbers) {
    metric_family family{"turnstile_sessions", metric_kind::gauge, "Sessions in each state."};
    for (std::size_t i = 0; i != numbers.sessions.size(); ++i) {
        const std::string state{to_string(static_cast<session_state>(i))};
        family.samples.push_back({{{"state", state}}, static_cast<double>(numbers.sessions[i])});
    }
    return family;
}

metric_family single(std::string name, metric_kind kind, std::string help, double value) {
    return {std::move(name), kind, std::move(help), {{.value = value}}};
}

}  // namespace

std::vector<metric_family> families_of(const metrics_snapshot& numbers) {
    constexpr auto gauge = metric_kind::gauge;
    constexpr auto counter = metric_kind::counter;
    using lock = lock_numbers;
    const auto seconds = [](boottime_clock::duration lock::*span) {
        return [span](const lock& of) { return detail::in_seconds(of.*span); };
    };
    return {
        histograms(numbers, "turnstile_lock_wait_seconds", "Time from the call to the grant.",
                   &lock::waits),
        histograms(numbers, "turnstile_lock_hold_seconds",
                   "Time from the grant to the release or the loss.", &lock::holds),
        per_lock(numbers, "turnstile_lock_granted_total", counter, "Calls that got the lock.",
                 [](const lock& of) { return of.granted; }),
        reasons(numbers, "turnstile_lock_refused_total",
                "Calls that ended without the lock, by the reason.", &lock::refused),
        reasons(numbers, "turnstile_lock_lost_total",
                "Holds that ended without a release, by the reason.", &lock::lost),
        per_lock(numbers, "turnstile_lock_held", gauge, "Present holds.",
                 [](const lock& of) { return of.held_now; }),
        per_lock(numbers, "turnstile_lock_waiting", gauge, "Calls that wait now.",
                 [](const lock& of) { return of.waiting_now; }),
        per_lock(numbers, "turnstile_lock_queue_depth", gauge,
                 "The largest number of contenders ahead of any waiting call.",
                 [](const lock& of) { return of.queue_depth; }),
        per_lock(numbers, "turnstile_lock_longest_wait_seconds", gauge,
                 "Longest wait of the calls that wait now.", seconds(&lock::longest_wait)),
        per_lock(numbers, "turnstile_lock_longest_hold_seconds", gauge,
                 "Time since the grant of the oldest present hold.", seconds(&lock::longest_hold)),
        margins(numbers),
        session_states(numbers),
        single("turnstile_session_reconnects_total", counter,
               "Number of times that a session was connected again.",
               static_cast<double>(numbers.reconnects)),
        single("turnstile_sessions_lost_total", counter,
               "Sessions that expired, or whose lease ended.",
               static_cast<double>(numbers.lost_sessions)),
        single("turnstile_outages_total", counter,
               "Number of times that a client lost its last connection.",
               static_cast<double>(numbers.outages)),
        single("turnstile_outage_seconds", gauge,
               "Longest present outage: time since a client lost its last connection.",
               detail::in_seconds(numbers.outage)),
    };
}

}  // namespace turnstile
