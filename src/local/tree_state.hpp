// SPDX-License-Identifier: Apache-2.0
// tree_state: the parts of the tree of the in-memory model: node_store, its znodes, and watch_table, its one-shot
// watches. server_traits: how the servers' versions differ.
//
// Values without thread safety.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/seam/seam.hpp"
#include "local/tree_node.hpp"

namespace turnstile::local {

// The sequence number that follows 2147483647 below one parent znode.
enum class sequence_end {
    sticks,  // ZooKeeper 3.8.0: every later child gets 2147483647 again
    wraps,   // reported for other versions: -2147483648, then upwards
};

// The differences between the versions of ZooKeeper's servers, as far as they matter to the library.
struct server_traits {
    bool has_create2 =
        true;  // false (before 3.5): servers refuse to create a znode, except in a multi request
    bool has_containers = true;  // false: servers refuse to create a container
    // True: the servers refuse `exists` on a znode that the session may not read, and set no watch, as ZooKeeper does
    // since 3.7.3, 3.8.4 and 3.9.2 (ZOOKEEPER-2590). Earlier servers answer every session.
    bool exists_needs_read = false;
    sequence_end at_sequence_end = sequence_end::sticks;
    friend bool operator==(const server_traits&, const server_traits&) = default;
};

// The znodes of the tree, without sessions, watches and checks. Callers must check each transaction first
// (preparation.hpp).
class node_store {
public:
    using node_map = std::map<std::string, tree_node, std::less<>>;

    // Creates the tree of a newly installed server: the root and /zookeeper.
    node_store();

    [[nodiscard]] const tree_node* find(std::string_view path) const;
    [[nodiscard]] const node_map& nodes() const noexcept { return nodes_; }
    [[nodiscard]] std::set<std::string> ephemerals_of(std::int64_t session) const;
    // Returns the container znodes that had children and have none now.
    [[nodiscard]] std::set<std::string> abandoned_containers() const;

    void create(const create_txn& txn, const moment& when, sequence_end at_end);
    void remove(const std::string& path, std::int64_t zxid);
    void set(const set_txn& txn, const moment& when);

    // For tests: sets an existing znode's counter of creates, to reach the last sequence numbers.
    void set_creates(const std::string& path, std::int32_t creates);

    friend bool operator==(const node_store&, const node_store&) = default;

private:
    tree_node& at(std::string_view path);
    void add_system_node(const std::string& path);

    node_map nodes_;
    std::map<std::int64_t, std::set<std::string>> ephemerals_;
    std::set<std::string> containers_;
};

using session_id = std::int64_t;

// A watch event, and the session that had set the watch.
struct fired_watch {
    session_id session = 0;
    core::watch_kind kind{};
    std::string path;
    friend bool operator==(const fired_watch&, const fired_watch&) = default;
};

// The one-shot watches of one kind (data or children), by path and by session.
//
// A value without thread safety. A session has at most one watch on a path, as on the servers.
class watch_table {
public:
    void add(session_id session, const std::string& path);
    bool remove(session_id session, const std::string& path);
    void remove_session(session_id session);

    // Removes the watches on `path` and returns their sessions in ascending order.
    [[nodiscard]] std::set<session_id> take(const std::string& path);

    [[nodiscard]] bool contains(session_id session, const std::string& path) const;
    [[nodiscard]] std::set<std::string> of(session_id session) const;
    [[nodiscard]] std::size_t size() const noexcept;

    friend bool operator==(const watch_table&, const watch_table&) = default;

private:
    void unlink_path(session_id session, const std::string& path);
    void unlink_session(session_id session, const std::string& path);

    std::map<std::string, std::set<session_id>> by_path_;
    std::map<session_id, std::set<std::string>> by_session_;
};

}  // namespace turnstile::local
