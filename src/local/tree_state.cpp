// SPDX-License-Identifier: Apache-2.0
#include "local/tree_state.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "local/znode_path.hpp"

namespace turnstile::local {

node_store::node_store() {
    nodes_.emplace("/", tree_node{});
    add_system_node("/zookeeper");
    add_system_node("/zookeeper/config");
    add_system_node("/zookeeper/quota");
    at("/zookeeper/config").access.read_only = true;
}

const tree_node* node_store::find(std::string_view path) const {
    const auto found = nodes_.find(path);
    return found == nodes_.end() ? nullptr : &found->second;
}

std::set<std::string> node_store::ephemerals_of(std::int64_t session) const {
    const auto found = ephemerals_.find(session);
    return found == ephemerals_.end() ? std::set<std::string>{} : found->second;
}

std::set<std::string> node_store::abandoned_containers() const {
    std::set<std::string> found;
    for (const std::string& path : containers_) {
        const tree_node& n = *find(path);
        if (n.children.empty() && n.creates > 0) found.insert(path);
    }
    return found;
}

void node_store::create(const create_txn& txn, const moment& when, sequence_end at_end) {
    tree_node& parent = at(parent_of(txn.path));
    // `creates`, the parent's counter of created children, becomes negative when it overflows. ZooKeeper 3.8.0 ignores
    // a counter that is smaller than the stored counter. So it then changes neither the counter nor the parent's pzxid.
    if (txn.parent_creates > parent.creates || at_end == sequence_end::wraps) {
        parent.creates = txn.parent_creates;
        parent.pzxid = when.zxid;
    }
    parent.children.emplace(name_of(txn.path));

    tree_node child;
    child.data = txn.data;
    child.access = txn.access;
    child.kind = txn.kind;
    child.owner = txn.owner;
    child.czxid = child.mzxid = child.pzxid = when.zxid;
    child.ctime = child.mtime = when.now_ms;
    nodes_.insert_or_assign(txn.path, std::move(child));
    if (txn.kind == tree_node_kind::container) containers_.insert(txn.path);
    if (txn.kind == tree_node_kind::ephemeral) ephemerals_[txn.owner].insert(txn.path);
}

void node_store::remove(const std::string& path, std::int64_t zxid) {
    tree_node& parent = at(parent_of(path));
    parent.children.erase(parent.children.find(name_of(path)));
    parent.pzxid = std::max(parent.pzxid, zxid);

    const auto gone = nodes_.find(path);
    TURNSTILE_CHECK(gone != nodes_.end());
    if (gone->second.kind == tree_node_kind::container) containers_.erase(path);
    if (gone->second.kind == tree_node_kind::ephemeral) {
        const auto owned = ephemerals_.find(gone->second.owner);
        owned->second.erase(path);
        if (owned->second.empty()) ephemerals_.erase(owned);
    }
    nodes_.erase(gone);
}

void node_store::set(const set_txn& txn, const moment& when) {
    tree_node& n = at(txn.path);
    n.data = txn.data;
    n.version = txn.version;
    n.mzxid = when.zxid;
    n.mtime = when.now_ms;
}

void node_store::set_creates(const std::string& path, std::int32_t creates) {
    at(path).creates = creates;
}

tree_node& node_store::at(std::string_view path) {
    const auto found = nodes_.find(path);
    TURNSTILE_CHECK(found != nodes_.end());
    return found->second;
}

void node_store::add_system_node(const std::string& path) {
    nodes_.emplace(path, tree_node{});
    // The parent does not count this child as created.
    at(parent_of(path)).children.emplace(name_of(path));
}

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
