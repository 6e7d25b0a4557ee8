// SPDX-License-Identifier: Apache-2.0
// metrics: measures how long this program waits for locks and holds them, and counts the program's lost holds and
// sessions.
//
// Make one object, pass it to every client, and take a snapshot whenever a monitoring system asks.
//
//     const auto numbers = turnstile::metrics::start({.templates = {turnstile::path_template{"/orders/{}"}}});
//     turnstile::client servers{"local:", {.metrics = numbers}};
//     const std::string page = turnstile::prometheus_text(turnstile::families_of(numbers.snapshot()));
//
// Series. The numbers of all locks whose path fits a template form one series, which has the template's name. Every
// other path has a separate series, up to `most_paths` paths; all further paths share the series "other". So the number
// of series never exceeds the number of templates + most_paths + 1, whatever paths the program uses. A series exists
// until the last copy of the metrics object is destroyed.
//
// Counting. The numbers include each call that begins to wait in a client. A call that the library refuses before that
// (`bad_option`, a closed client) is not included, and neither is a second acquire of a recursive_mutex by its owner.
// If threads share a lock (retained, cohort), the numbers include the call of each thread. For a multi_lock or
// quorum_lock they include the call for each part (the hold on one of its locks or ensembles).
//
// Events. `metrics_options::observer` gets the events of each call, for tracing. turnstile/opentelemetry.hpp has such
// an observer. turnstile/prometheus.hpp passes snapshots to prometheus-cpp.
//
// Costs. Without metrics there is no cost. With metrics each call allocates one object, compares the lock's path with
// the templates, and locks a mutex of the series four times.
//
// Fork. The copy of a metrics object in a forked child stays empty.
//
// Thread safety: one thread at a time may assign or destroy a metrics object. Any thread may call snapshot().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/callback.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"
#include "turnstile/export.hpp"
#include "turnstile/fencing_token.hpp"
#include "turnstile/metric_family.hpp"
#include "turnstile/metrics_handle.hpp"
#include "turnstile/path_template.hpp"
#include "turnstile/session_state.hpp"

namespace turnstile {

// The kinds of events of a call for a lock. Each call has the event `waits` first, then `granted` or `refused`, and
// after `granted` the event `released` or `lost`.
enum class lock_event_kind { waits, granted, refused, released, lost };

// Returns the name of the kind, like "granted".
[[nodiscard]] TURNSTILE_EXPORT std::string_view to_string(lock_event_kind kind) noexcept;

// An event of one call. The string views in it are valid until the observer returns.
struct lock_event {
    lock_event_kind kind = lock_event_kind::waits;  // kind of the event
    std::uint64_t call = 0;           // number of the call, unique in its metrics object, from 1
    std::string_view series{};        // the template's text, the path, or "other"
    std::string_view path{};          // the path of the lock
    boottime_clock::time_point at{};  // the instant of the event
    boottime_clock::duration
        span{};  // the wait (`granted`, `refused`) or the hold (`released`, `lost`)
    turnstile::fencing_token token{};  // the token of the grant; not set for `waits` and `refused`
    std::optional<errc> why{};         // the reason of `refused` and `lost`
};

// The options of a metrics object.
struct metrics_options {
    // The templates. A path belongs to the first template that matches it (path_template::matches).
    std::vector<path_template> templates{};
    // The largest number of paths without a template that have a separate series. At most 10,000.
    std::size_t most_paths = 50;
    // Upper bounds of the histograms' buckets, ascending, above zero, at most 100. Empty: 18 bounds from 1 ms to 1 h.
    std::vector<boottime_clock::duration> bounds{};
    // Called with each event. The events of one call arrive in order: `waits` on the thread that makes the call;
    // `granted` and `refused` on the thread that gets the result, just before that thread gets it; `released` on the
    // thread that releases; `lost` on a thread of the client. The library holds none of its mutexes while the observer
    // runs. Keep the observer short, because the caller waits for it. Several threads may call the observer at once. If
    // the observer throws an exception, the library logs it.
    detail::callback<void(const lock_event& event)> observer{};
};

// The numbers of one series.
struct lock_numbers {
    std::string series;         // the template's text, the path, or "other"
    metric_histogram waits{};   // seconds from the call to the grant, of calls that were granted
    metric_histogram holds{};   // seconds from the grant to the release or the loss
    std::uint64_t granted = 0;  // number of grants
    // For each reason the number of calls or holds that ended for that reason. The key is the name of the reason
    // (name_of). `refused`: calls that ended without a grant. `lost`: holds that ended without a release.
    std::map<std::string, std::uint64_t> refused{};
    std::map<std::string, std::uint64_t> lost{};
    std::size_t held_now = 0;     // present holds
    std::size_t waiting_now = 0;  // calls that wait now
    // The largest number of contenders ahead of a call that waits now, according to the latest answers of the servers.
    std::size_t queue_depth = 0;
    boottime_clock::duration longest_wait{};  // among the calls that wait now
    boottime_clock::duration longest_hold{};  // among the present holds
    // The shortest remaining lease among the present holds (guard::remaining). Empty if there is no hold, or if leases
    // have no limit (`local:`).
    std::optional<boottime_clock::duration> lease_margin{};
};

// The numbers of all clients that share a metrics object.
struct metrics_snapshot {
    std::vector<lock_numbers>
        locks{};  // templates in their order, then paths in the order of their first call
    // The number of sessions in each state. The index is the value of the session_state.
    std::array<std::size_t, 7> sessions{};
    std::uint64_t reconnects = 0;     // sessions that were connected again
    std::uint64_t lost_sessions = 0;  // sessions that expired, or whose lease ended
    std::uint64_t outages = 0;        // times that a client lost its last connection
    // The length of the present outage; zero if all clients are connected. A client's outage begins when the client
    // loses its last connection, or at its construction if it has had no connection yet. If several clients have an
    // outage, the value is the length of the longest outage.
    boottime_clock::duration outage{};
};

// Returns the short name of a reason, like "session_lost" or "timeout", which `refused`, `lost` and metric labels use.
[[nodiscard]] TURNSTILE_EXPORT std::string_view name_of(errc why) noexcept;

// Returns the snapshot as metric families: `turnstile_lock_wait_seconds` and the other families that
// docs/how-to/metrics.md lists. The label `lock` contains the name of the series.
[[nodiscard]] TURNSTILE_EXPORT std::vector<metric_family> families_of(
    const metrics_snapshot& numbers);

}  // namespace turnstile
