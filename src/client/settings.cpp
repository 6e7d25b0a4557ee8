// SPDX-License-Identifier: Apache-2.0
#include "client/settings.hpp"

#include <cstdint>

#include <fmt/core.h>

#include "base/duration_text.hpp"
#include "base/metadata_limits.hpp"
#include "base/random.hpp"
#include "base/span_check.hpp"
#include "support/clock_drift.hpp"

namespace turnstile::detail {

namespace {

using base::duration_text;
using std::chrono::milliseconds;

constexpr unsigned k_most_sessions = 1024;
constexpr double k_largest_drift = 0.5;
constexpr std::size_t k_longest_credentials = std::size_t{64} * 1024;
// The longest tick that a server can have, because servers store it in an int.
constexpr milliseconds k_longest_int{INT32_MAX};
constexpr milliseconds k_longest_pause = std::chrono::days{1};

error bad(std::string message) {
    return {errc::bad_option, std::move(message)};
}

result<void> check_length(std::string_view option, std::string_view value, std::size_t longest) {
    if (value.size() <= longest) return {};
    return bad(fmt::format("{}: has {} bytes, more than the {} that are allowed", option,
                           value.size(), longest));
}

// Limits the label's length, because labels are written into every znode, and too large a znode breaks the connection.
result<void> check_label(std::string_view label) {
    return check_length("label", label, k_longest_label);
}

result<void> check_owner(std::string_view owner) {
    return check_length("owner", owner, k_longest_owner);
}

result<void> check_credentials(const client_options& o, bool has_identity) {
    if (auto good = check_length("credentials", o.credentials, k_longest_credentials); !good)
        return good;
    if (o.acl == access_policy::creator_only && o.credentials.empty() && !has_identity)
        return bad(
            "access_policy::creator_only needs an identity: credentials (\"user:password\"), a "
            "SASL user, or a certificate (cert_file)");
    if (!o.credentials.empty() && o.credentials.find(':') == std::string::npos)
        return bad("credentials must have the form \"user:password\": there is no colon");
    return {};
}

// Checks the values from which the client computes the relay bound, the longest time from a follower's answer until the
// leader knows of the request. A sum that overflows would make this bound too short, and so the lease too long.
result<void> check_relay_bound(const lease_settings& lease) {
    if (lease.tick < milliseconds{0} || lease.tick > k_longest_int) {
        return bad(fmt::format("lease.tick {}: must not be negative, and at most 2^31 - 1 ms",
                               duration_text(lease.tick)));
    }
    // If the settings have no tick, the server reports its tick later. So this check assumes the longest possible tick.
    const auto tick = lease.tick > milliseconds{0} ? lease.tick : k_longest_int;
    if (lease.sync_limit < 0 || lease.sync_limit >= base::k_longest_span / tick) {
        return bad(
            fmt::format("lease.sync_limit {}: must not be negative, and (sync_limit + 1) * "
                        "lease.tick ({}) at most ten years",
                        lease.sync_limit, duration_text(tick)));
    }
    if (lease.assumed_stall < milliseconds{0} || lease.assumed_stall > base::k_longest_span) {
        return bad(
            fmt::format("lease.assumed_stall {}: must not be negative, nor longer than "
                        "ten years",
                        duration_text(lease.assumed_stall)));
    }
    return {};
}

result<void> check_lease(const client_options& o) {
    if (auto good = check_relay_bound(o.lease); !good) return good;
    if (!(o.lease.clock_drift >= 0 && o.lease.clock_drift < k_largest_drift)) {
        return bad(fmt::format("lease.clock_drift {}: must be from 0 to below {}",
                               o.lease.clock_drift, k_largest_drift));
    }
    if (o.lease.confirm_every < milliseconds{0}) {
        return bad(fmt::format("lease.confirm_every {}: must not be negative",
                               duration_text(o.lease.confirm_every)));
    }
    const auto certain = std::chrono::floor<milliseconds>(
        support::shortened(o.session_timeout, o.lease.clock_drift));
    if (o.lease.confirm_every > milliseconds{0} && o.lease.confirm_every >= certain) {
        return bad(
            fmt::format("lease.confirm_every {}: must be less than session_timeout * (1 - "
                        "clock_drift), {}, or every hold is lost before it is confirmed",
                        duration_text(o.lease.confirm_every), duration_text(certain)));
    }
    return {};
}

}  // namespace

result<void> check_call(const acquire_options& options) {
    if (auto good = check_label(options.label); !good) return good;
    if (auto good = check_owner(options.owner); !good) return good;
    if (auto good = base::check_span("warn_before", options.warn_before); !good) return good;
    return base::check_span("max_hold", options.max_hold);
}

result<void> check_modes(const lock_options& modes) {
    if (auto good = base::check_span("retain_for", modes.retain_for); !good) return good;
    if (auto good = base::check_span("lock_delay", modes.lock_delay); !good) return good;
    const bool shared = modes.cohort != 0 || modes.retain_for.count() != 0;
    if (!shared || modes.lock_delay.count() == 0) return {};
    return bad(fmt::format("lock_delay {}: must be zero for a lock with retain_for or cohort",
                           duration_text(modes.lock_delay)));
}

result<void> check(const client_options& o, bool has_identity) {
    if (auto good = check_label(o.label); !good) return good;
    if (o.session_timeout <= milliseconds{0} || o.session_timeout > k_longest_session_timeout) {
        return bad(fmt::format("session_timeout {}: must be between 1 ms and 1 h",
                               duration_text(o.session_timeout)));
    }
    if (auto good = check_credentials(o, has_identity); !good) return good;
    if (auto good = check_lease(o); !good) return good;
    if (o.retry_first <= milliseconds{0} || o.retry_longest < o.retry_first ||
        o.retry_longest > k_longest_pause) {
        return bad(
            fmt::format("retry_first {}, retry_longest {}: retry_first must be positive, and "
                        "at most retry_longest, which must be at most a day",
                        duration_text(o.retry_first), duration_text(o.retry_longest)));
    }
    if (o.connection_timeout < milliseconds{0} || o.connection_timeout > k_longest_pause) {
        return bad(
            fmt::format("connection_timeout {}: must be at least 0 (no limit), and at most a day",
                        duration_text(o.connection_timeout)));
    }
    if (o.sessions < 1 || o.sessions > o.max_sessions || o.max_sessions > k_most_sessions) {
        return bad(
            fmt::format("sessions {}, max_sessions {}: must be 1 <= sessions <= max_sessions "
                        "<= {}",
                        o.sessions, o.max_sessions, k_most_sessions));
    }
    if (o.close_timeout < milliseconds{0}) {
        return bad(
            fmt::format("close_timeout {}: must not be negative", duration_text(o.close_timeout)));
    }
    return {};
}

namespace {

bool learns_pace(const lease_settings& lease) {
    const bool counts_limit = lease.assumed_stall == milliseconds{0};
    return lease.tick == milliseconds{0} || (counts_limit && lease.sync_limit == 0);
}

core::relay_terms terms_of(const lease_settings& lease, milliseconds asked) {
    return {lease.tick, lease.sync_limit, lease.assumed_stall, asked};
}

core::placement placement_of(const client_options& options) {
    switch (options.server) {
        case server_preference::any: return core::placement::anywhere;
        case server_preference::leader: return core::placement::at_the_leader;
        case server_preference::automatic: break;
    }
    return options.roles == role_detection::on ? core::placement::automatic
                                               : core::placement::anywhere;
}

}  // namespace

core::session_settings session_settings(const client_options& options) {
    core::session_settings settings;
    settings.timeout = options.session_timeout;
    settings.credentials = options.credentials;
    settings.allow_read_only = options.attach_to_read_only == read_only_policy::allowed;
    settings.detect_role =
        options.roles == role_detection::on || options.server == server_preference::leader;
    settings.examine = true;
    settings.required = options.require;
    settings.learn_pace = options.roles == role_detection::on && learns_pace(options.lease);
    return settings;
}

core::lease_rule lease_rule(const lease_settings& settings) {
    core::lease_rule rule;
    rule.clock_drift = settings.clock_drift;
    rule.relay_bound_assumed = settings.assumed_stall.count() > 0;
    rule.relay_bound = core::relay_bound(terms_of(settings, {}), std::nullopt, {});
    return rule;
}

core::acl_policy acl_of(const client_options& options) {
    return options.acl == access_policy::creator_only ? core::acl_policy::creator_only
                                                      : core::acl_policy::open;
}

core::session_core_settings core_settings(const client_options& options, unsigned index,
                                          std::string servers) {
    core::session_core_settings settings;
    settings.lease = lease_rule(options.lease);
    settings.relay = terms_of(options.lease, options.session_timeout);
    settings.place = placement_of(options);
    settings.roles_asked =
        options.roles == role_detection::on || options.server == server_preference::leader;
    settings.roles_trusted = options.roles == role_detection::on;
    settings.confirm_every = options.lease.confirm_every;
    settings.acl = acl_of(options);
    settings.foreign_kinds = options.foreign_kinds;
    settings.retry_first = options.retry_first;
    settings.retry_longest = options.retry_longest;
    settings.connection_timeout = options.connection_timeout;
    settings.chance = base::random::from_system();
    settings.servers = std::move(servers);
    settings.index = index;
    return settings;
}

}  // namespace turnstile::detail
