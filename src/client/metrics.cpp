// SPDX-License-Identifier: Apache-2.0
#include "turnstile/metrics.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <fmt/core.h>

#include "base/duration_text.hpp"
#include "client/internals.hpp"
#include "client/metrics_impl.hpp"

namespace turnstile {

class metrics::inside {
public:
    std::shared_ptr<detail::metrics_impl> impl;
};

namespace detail {

namespace {

using namespace std::chrono_literals;
using bounds = std::vector<boottime_clock::duration>;

// The default buckets cover locks at servers (milliseconds) and jobs (minutes). Times of free in-memory locks
// (microseconds) fall into the first bucket.
const bounds& default_bounds() {
    static const bounds spans{1ms, 2500us, 5ms, 10ms, 25ms, 50ms, 100ms, 250ms, 500ms,
                              1s,  2500ms, 5s,  10s,  30s,  1min, 5min,  15min, 1h};
    return spans;
}

metrics_options checked(metrics_options&& options) {
    const auto refuse = [](std::string why) {
        throw_error({errc::bad_option, "metrics: " + std::move(why)});
    };
    if (options.most_paths > metrics_impl::k_most_paths)
        refuse(fmt::format("most_paths {}: must be at most {}", options.most_paths,
                           metrics_impl::k_most_paths));
    if (options.bounds.empty()) options.bounds = default_bounds();
    if (options.bounds.size() > metrics_impl::k_most_bounds)
        refuse(fmt::format("bounds has {} values: must have at most {}", options.bounds.size(),
                           metrics_impl::k_most_bounds));
    auto before = boottime_clock::duration{};
    for (const auto bound : options.bounds) {
        if (bound <= before)
            refuse(fmt::format("bounds: {} after {}: must be ascending, and above zero",
                               base::duration_text(bound), base::duration_text(before)));
        before = bound;
    }
    return std::move(options);
}

}  // namespace

metrics_impl::metrics_impl(metrics_options options)
    : options_{checked(std::move(options))},
      templates_{[this] {
          std::vector<series> all;
          for (const auto& each : options_.templates) all.push_back(make_series(each.text()));
          return all;
      }()},
      other_{make_series("other")} {}

metrics_impl::series metrics_impl::make_series(std::string name) const {
    return std::make_shared<lock_series>(std::move(name), options_.bounds);
}

metrics_impl::series metrics_impl::series_of(const std::string& path) {
    for (std::size_t i = 0; i != templates_.size(); ++i)
        if (options_.templates[i].matches(path)) return templates_[i];
    const base::lock_guard lock{mutex_};
    if (const auto found = paths_.find(path); found != paths_.end()) return found->second;
    if (paths_.size() >= options_.most_paths) {
        other_used_ = true;
        return other_;
    }
    auto added = make_series(path);
    in_order_.push_back(added);
    paths_.emplace(path, added);
    return added;
}

std::unique_ptr<call_record> metrics_impl::begin(const std::string& path) {
    return std::make_unique<call_record>(
        series_of(path), calls_.fetch_add(1, std::memory_order_relaxed) + 1, options_.observer);
}

void metrics_impl::on_change(const session_change& step, bool is_outage) noexcept {
    if (is_outage) outages_.fetch_add(1, std::memory_order_relaxed);
    const bool again =
        step.from == session_state::suspended || step.from == session_state::read_only;
    if (step.to == session_state::connected && (again || step.epoch > 1))
        reconnects_.fetch_add(1, std::memory_order_relaxed);
    if (step.to == session_state::lost) lost_sessions_.fetch_add(1, std::memory_order_relaxed);
}

void metrics_impl::watch(std::weak_ptr<const void> owner, addition add) {
    const base::lock_guard lock{mutex_};
    std::erase_if(clients_, [](const auto& each) { return each.owner.expired(); });
    clients_.push_back({std::move(owner), std::move(add)});
}

metrics_snapshot metrics_impl::snapshot() const {
    metrics_snapshot numbers;
    std::vector<series> all = templates_;
    std::vector<watched> clients;
    {
        const base::lock_guard lock{mutex_};
        all.insert(all.end(), in_order_.begin(), in_order_.end());
        if (other_used_) all.push_back(other_);
        clients = clients_;
    }
    const auto now = boottime_clock::now();
    for (const auto& each : all) numbers.locks.push_back(each->read(now));
    for (const auto& each : clients)
        if (const auto alive = each.owner.lock()) each.add(numbers);
    numbers.reconnects = reconnects_.load();
    numbers.lost_sessions = lost_sessions_.load();
    numbers.outages = outages_.load();
    return numbers;
}

std::shared_ptr<metrics_impl> internals::of(const metrics& numbers) {
    return numbers.inside_ ? numbers.inside_->impl : nullptr;
}

}  // namespace detail

metrics::metrics() noexcept : inside_{nullptr} {}

metrics::metrics(inside* numbers) noexcept : inside_{numbers} {}

metrics metrics::start(metrics_options options) {
    return metrics{new inside{std::make_shared<detail::metrics_impl>(std::move(options))}};
}

metrics metrics::start() {
    return start(metrics_options{});
}

metrics::metrics(const metrics& other)
    : inside_{other.inside_ ? new inside{*other.inside_} : nullptr} {}

metrics::metrics(metrics&& other) noexcept = default;

metrics::~metrics() = default;

metrics& metrics::operator=(const metrics& other) {
    if (this != &other) *this = metrics{other};
    return *this;
}

metrics& metrics::operator=(metrics&& other) noexcept = default;

metrics_snapshot metrics::snapshot() const {
    if (!inside_ || inside_->impl->forked()) return {};
    return inside_->impl->snapshot();
}

std::string_view to_string(lock_event_kind kind) noexcept {
    switch (kind) {
        case lock_event_kind::waits: return "waits";
        case lock_event_kind::granted: return "granted";
        case lock_event_kind::refused: return "refused";
        case lock_event_kind::released: return "released";
        case lock_event_kind::lost: break;
    }
    return "lost";
}

std::string_view name_of(errc why) noexcept {
    switch (why) {
        case errc::timeout: return "timeout";
        case errc::busy: return "busy";
        case errc::cancelled: return "cancelled";
        case errc::interrupted: return "interrupted";
        case errc::session_lost: return "session_lost";
        case errc::removed: return "removed";
        case errc::closed: return "closed";
        case errc::forked: return "forked";
        case errc::auth_failed: return "auth_failed";
        case errc::no_permission: return "no_permission";
        case errc::not_connected: return "not_connected";
        case errc::bad_path: return "bad_path";
        case errc::bad_connect_string: return "bad_connect_string";
        case errc::bad_option: return "bad_option";
        case errc::no_chroot: return "no_chroot";
        case errc::server_too_old: return "server_too_old";
        case errc::unresolvable: return "unresolvable";
        case errc::not_owner: return "not_owner";
        case errc::would_deadlock: return "would_deadlock";
        case errc::too_many: return "too_many";
        case errc::not_held: return "not_held";
        case errc::protocol: return "protocol";
        case errc::revoked: return "revoked";
        case errc::held_too_long: return "held_too_long";
        case errc::lease_too_short: return "lease_too_short";
        case errc::outcome_unknown: return "outcome_unknown";
        case errc::no_node: return "no_node";
        case errc::node_exists: return "node_exists";
        case errc::not_empty: return "not_empty";
        case errc::bad_version: return "bad_version";
        case errc::quota_exceeded: return "quota_exceeded";
        case errc::local_session: return "local_session";
    }
    return "unknown";
}

}  // namespace turnstile
