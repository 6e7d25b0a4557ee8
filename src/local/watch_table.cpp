// SPDX-License-Identifier: Apache-2.0
#include "local/watch_table.hpp"

#include <utility>

namespace turnstile::local {

void watch_table::add(session_id session, const std::string& path) {
    by_path_[path].insert(session);
    by_session_[session].insert(path);
}

bool watch_table::remove(session_id session, const std::string& path) {
    if (!contains(session, path)) return false;
    unlink_path(session, path);
    unlink_session(session, path);
    return true;
}

void watch_table::remove_session(session_id session) {
    const auto found = by_session_.find(session);
    if (found == by_session_.end()) return;
    for (const std::string& path : found->second) unlink_path(session, path);
    by_session_.erase(found);
}

std::set<session_id> watch_table::take(const std::string& path) {
    const auto found = by_path_.find(path);
    if (found == by_path_.end()) return {};
    std::set<session_id> sessions = std::move(found->second);
    by_path_.erase(found);
    for (const session_id session : sessions) unlink_session(session, path);
    return sessions;
}

bool watch_table::contains(session_id session, const std::string& path) const {
    const auto found = by_path_.find(path);
    return found != by_path_.end() && found->second.contains(session);
}

std::set<std::string> watch_table::of(session_id session) const {
    const auto found = by_session_.find(session);
    return found == by_session_.end() ? std::set<std::string>{} : found->second;
}

std::size_t watch_table::size() const noexcept {
    std::size_t total = 0;
    for (const auto& [path, sessions] : by_path_) total += sessions.size();
    return total;
}

void watch_table::unlink_path(session_id session, const std::string& path) {
    const auto found = by_path_.find(path);
    found->second.erase(session);
    if (found->second.empty()) by_path_.erase(found);
}

void watch_table::unlink_session(session_id session, const std::string& path) {
    const auto found = by_session_.find(session);
    found->second.erase(path);
    if (found->second.empty()) by_session_.erase(found);
}

}  // namespace turnstile::local
