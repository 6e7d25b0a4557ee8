// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/sharer_check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/log.hpp"
#include "support/descriptor.hpp"
#include "zookeeper/limits.hpp"

namespace turnstile::zookeeper {
namespace {

std::unique_ptr<byte_stream> open_link(const socket_address& server) {
    return open_stream(server, boottime_clock::now() + k_role_limit, support::k_no_descriptor);
}

}  // namespace

bool flap_watch::detached(core::time_point now, core::duration timeout) noexcept {
    if (!since_) return false;
    const bool early = now - *since_ < timeout / k_early_part;
    since_.reset();
    if (!early) {
        early_ = 0;
        suspicion_ = k_first_suspicion;
        return false;
    }
    if (++early_ < suspicion_) return false;
    early_ = 0;
    suspicion_ = std::min(2 * suspicion_, k_last_suspicion);
    return true;
}

// Uses this client's own timeout: with a longer timeout the session would outlive this process.
std::optional<attach_answer> sharer_check::attach(raw_session& raw) const {
    return raw.attach({.timeout_ms = wire_timeout(settings_.timeout),
                       .session = own_.id,
                       .password = own_.password});
}

sharer_check::outcome sharer_check::ask(const socket_address& server, path_list& owned) {
    server_ = server;
    link_ = open_link(server_);
    raw_.emplace(*link_, &server_);
    const auto attached = attach(*raw_);
    if (!attached) return outcome::failed;
    if (attached->timeout_ms <= 0) return outcome::ended;  // the C client will notice the end
    return raw_->list(settings_.credentials, owned) == raw_session::listing::listed
               ? outcome::listed
               : outcome::failed;
}

std::optional<path_list> sharer_check::list(
    const socket_address& first, const std::function<std::vector<socket_address>()>& others) {
    path_list owned;
    auto found = first.length != 0 ? ask(first, owned) : outcome::failed;
    if (found == outcome::failed) {
        for (const auto& server : others()) {
            found = ask(server, owned);
            if (found != outcome::failed) break;
        }
    }
    if (found != outcome::listed) return std::nullopt;
    return owned;
}

void sharer_check::settle(bool marks) {
    if (marks) static_cast<void>(raw_->create_ephemeral(mark_of(own_.id)));
    link_->finish();
}

// The other client may attach between this client's attach and a removal. The server then refuses the removal, and this
// client attaches again.
void sharer_check::leave(path_list own_paths) {
    constexpr std::int32_t k_no_node = -101;
    std::string reason;
    for (std::size_t i = 0; i != k_most_looks && !own_paths.paths.empty(); ++i) {
        const auto link = open_link(server_);
        raw_session raw{*link, &server_};
        if (attach(raw))
            std::erase_if(own_paths.paths, [&raw](const std::string& path) {
                const auto error = raw.remove(path);
                return error && (*error == 0 || *error == k_no_node);
            });
        reason = raw.reason();
    }
    for (const auto& path : own_paths.paths)
        log::write(log_level::warning,
                   "session {:#x}: {} cannot be removed, and remains until the other client's "
                   "session ends ({})",
                   static_cast<std::uint64_t>(own_.id), path, reason);
    lengthen(*open_link(server_), own_);
}

}  // namespace turnstile::zookeeper
