// SPDX-License-Identifier: Apache-2.0
#include "admin/api/metrics.hpp"

#include "admin/api/meta.hpp"
#include "admin/http/metrics_page.hpp"

namespace turnstile::admin {
std::string metrics(site& at) {
    const auto seen = at.reading.latest();
    const auto counts = at.reading.counts();
    const auto traffic = at.traffic();
    const auto totals = seen.seen ? seen.seen->totals : lock_totals{};
    metrics_page all;
    all.add("locks", "gauge", "Locks that have a contender.", totals.locks);
    all.add("locks_held", "gauge", "Locks that are held.", totals.held);
    all.add("locks_contended", "gauge", "Locks with a waiter.", totals.contended);
    all.add("contenders", "gauge", "Holders and waiters.", totals.contenders);
    all.add("contenders_unread", "gauge", "Contenders that have not been read yet.",
            seen.seen ? seen.seen->unread : 0);
    all.add("folders_unreadable", "gauge", "Folders that an ACL forbids to read.",
            totals.unreadable);
    all.add("snapshot_stale", "gauge", "1 while the servers do not answer.", seen.stale ? 1 : 0);
    all.add("snapshot_reading_ms", "gauge", "How long the last round took.",
            seen.seen ? seen.seen->reading.count() : 0);
    all.add("snapshot_age_ms", "gauge", "Since the last round.",
            seen.seen ? age_ms(seen.seen->as_of, servers_now(seen)) : 0);
    all.add("snapshot_oldest_ms", "gauge",
            "Age of the oldest reading of a lock, at the end of the last round.",
            seen.seen ? seen.seen->oldest.count() : 0);
    all.add("rounds_total", "counter", "Rounds of reading the locks.", counts.rounds);
    all.add("rounds_failed_total", "counter", "Rounds that failed.", counts.failed_rounds);
    all.add("server_requests_total", "counter",
            "Requests sent to the servers, repeated ones included.", counts.requests);
    all.add("server_words_total", "counter", "Four-letter words that were sent to the servers.",
            at.health.words());
    all.add("http_answers_total", "counter", "HTTP requests that were answered.", traffic.answered);
    all.add("http_refusals_total", "counter", "HTTP requests that were refused.", traffic.refused);
    all.add("http_connections", "gauge", "Connections of browsers and programs.",
            traffic.connections);
    all.add("event_streams", "gauge", "Browsers that listen.", traffic.streams);
    return all.text();
}

std::string illness(const site& at) {
    const auto seen = at.reading.latest();
    return seen.stale ? seen.problem : "";
}

}  // namespace turnstile::admin
