// SPDX-License-Identifier: Apache-2.0
#include "admin/api/metrics.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "admin/api/aged_json.hpp"
#include "turnstile/metric_family.hpp"

namespace turnstile::admin {
namespace {

double in_seconds(std::chrono::milliseconds span) {
    return std::chrono::duration<double>{span}.count();
}

}  // namespace

std::string metrics(site& at) {
    const auto seen = at.reading.latest();
    const auto counts = at.reading.counts();
    const auto traffic = at.traffic();
    const auto totals = seen.seen ? seen.seen->totals : lock_totals{};
    std::vector<metric_family> all;
    const auto add = [&](std::string name, metric_kind kind, std::string help, auto value) {
        all.push_back(
            {std::move(name), kind, std::move(help), {{.value = static_cast<double>(value)}}});
    };
    const auto gauge = metric_kind::gauge;
    const auto counter = metric_kind::counter;
    add("turnstile_locks", gauge, "Locks that have a contender.", totals.locks);
    add("turnstile_locks_held", gauge, "Locks that are held.", totals.held);
    add("turnstile_locks_contended", gauge, "Locks with a waiter.", totals.contended);
    add("turnstile_contenders", gauge, "Holders and waiters.", totals.contenders);
    add("turnstile_contenders_unread", gauge, "Contenders that turnstile serve has not read yet.",
        seen.seen ? seen.seen->unread : 0);
    add("turnstile_folders_unreadable", gauge, "Folders that an ACL hides from this server.",
        totals.unreadable);
    add("turnstile_snapshot_stale", gauge, "1 while the servers do not answer.",
        seen.stale ? 1 : 0);
    add("turnstile_snapshot_reading_seconds", gauge,
        "Duration of the last round of reading the locks.",
        seen.seen ? in_seconds(seen.seen->reading) : 0.0);
    add("turnstile_snapshot_age_seconds", gauge, "Time since the last round of reading the locks.",
        seen.seen
            ? in_seconds(std::chrono::milliseconds{age_ms(seen.seen->as_of, servers_now(seen))})
            : 0.0);
    add("turnstile_snapshot_oldest_seconds", gauge,
        "Longest time since a lock was read, at the end of the last round of reading the locks.",
        seen.seen ? in_seconds(seen.seen->oldest) : 0.0);
    add("turnstile_rounds_total", counter, "Rounds of reading the locks.", counts.rounds);
    add("turnstile_rounds_failed_total", counter,
        "Rounds in which turnstile serve could not read the locks.", counts.failed_rounds);
    add("turnstile_server_requests_total", counter,
        "Requests sent to the servers, including repeated requests.", counts.requests);
    add("turnstile_server_words_total", counter, "Four-letter words that were sent to the servers.",
        at.health.words());
    add("turnstile_http_answers_total", counter, "HTTP requests that were answered.",
        traffic.answered);
    add("turnstile_http_refusals_total", counter, "HTTP requests that were refused.",
        traffic.refused);
    add("turnstile_http_connections", gauge, "Open HTTP connections of browsers and programs.",
        traffic.connections);
    add("turnstile_event_streams", gauge, "Browsers that receive live updates.", traffic.streams);
    return prometheus_text(all);
}

std::string illness(const site& at) {
    const auto seen = at.reading.latest();
    return seen.stale ? seen.problem : "";
}

}  // namespace turnstile::admin
