// SPDX-License-Identifier: Apache-2.0
#include "deterministic/live_coordinator.hpp"

#include <algorithm>

#include "base/path.hpp"
#include "deterministic/live_session.hpp"
#include "turnstile/error.hpp"

namespace turnstile::deterministic {

namespace {

std::string chroot_of(std::string_view connect_string) {
    const auto hosts = std::min(connect_string.find('/'), connect_string.size());
    if (hosts == 0)
        throw_error(
            {errc::bad_connect_string, "'" + std::string{connect_string} + "' names no server"});
    auto chroot = std::string{connect_string.substr(hosts)};
    if (chroot.empty() || chroot == "/") return {};
    base::validate_path(chroot).value();
    return chroot;
}

}  // namespace

live_coordinator::live_coordinator(live_servers& servers, std::string_view connect_string)
    : servers_{servers}, text_{connect_string}, root_{chroot_of(connect_string)} {
    if (!root_.prefix().empty()) servers_.make_by_hand(root_.prefix());
}

std::unique_ptr<core::coordinator_session> live_coordinator::open(
    const core::session_settings& settings, core::session_sink& sink) {
    return std::make_unique<live_session>(servers_, settings, sink, root_);
}

turnstile::promises live_coordinator::promises() const {
    return {.exclusion = exclusion_promise::proved,
            .order = order_promise::arrival,
            .waiting = waiting_promise::notified,
            .failover = failover_promise::survives,
            .loss = loss_promise::told,
            .token = token_promise::grows,
            .writes = write_promise::guarded,
            .crash = crash_promise::session_timeout,
            .scope = scope_promise::cluster};
}

}  // namespace turnstile::deterministic
