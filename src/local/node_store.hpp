// SPDX-License-Identifier: Apache-2.0
// node_store: the znodes of the tree, without sessions, watches and checks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "local/server_traits.hpp"
#include "local/transaction.hpp"
#include "local/tree_node.hpp"

namespace turnstile::local {

// A value without thread safety. Callers must check each transaction first (preparation.hpp).
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

}  // namespace turnstile::local
