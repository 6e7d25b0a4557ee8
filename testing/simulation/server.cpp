// SPDX-License-Identifier: Apache-2.0
#include "simulation/server.hpp"

#include <algorithm>

namespace turnstile::simulation {

instant session_tracker::bucket(instant touched) const {
    const auto end = (touched + timeout_).time_since_epoch();
    return instant{(end / tick_ + 1) * tick_};
}

void session_tracker::track(session_id session, instant touched) {
    auto& entry = sessions_[session];
    entry.touched = touched;
    entry.expiry = bucket(touched);
}

bool session_tracker::touch(session_id session, instant now) {
    const auto found = sessions_.find(session);
    if (found == sessions_.end() || found->second.closing) return false;
    if (found->second.doomed) return true;
    found->second.touched = std::max(found->second.touched, now);
    found->second.expiry = std::max(found->second.expiry, bucket(now));
    return true;
}

void session_tracker::doom(session_id session) {
    const auto found = sessions_.find(session);
    if (found != sessions_.end()) found->second.doomed = true;
}

void session_tracker::close(session_id session) {
    const auto found = sessions_.find(session);
    if (found != sessions_.end()) found->second.closing = true;
}

core::server_error session_tracker::claim(session_id session, connection_id by) {
    const auto found = sessions_.find(session);
    if (found == sessions_.end() || found->second.closing)
        return core::server_error::session_expired;
    if (by < found->second.owner) return core::server_error::session_moved;
    found->second.owner = by;
    return core::server_error::ok;
}

std::optional<instant> session_tracker::expiry(session_id session) const {
    const auto found = sessions_.find(session);
    if (found == sessions_.end() || found->second.closing || found->second.doomed)
        return std::nullopt;
    return found->second.expiry;
}

std::optional<instant> session_tracker::deadline(session_id session) const {
    const auto found = sessions_.find(session);
    if (found == sessions_.end() || found->second.closing) return std::nullopt;
    return found->second.touched + timeout_;
}

}  // namespace turnstile::simulation
