// SPDX-License-Identifier: Apache-2.0
// tree_node: a znode of the in-memory model, and its access list. transaction: the changes of a write that has passed
// the checks. Values without thread safety.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <variant>

#include "core/seam/seam.hpp"

namespace turnstile::local {

// The digest identities ("user:password") that a session has proved to the servers.
using identities = std::set<std::string>;

// A znode's access list. ZooKeeper's servers know five rights; this model has `read`, and `other` for the rest.
struct acl {
    enum class right { read, other };

    bool read_only = false;  // no client may change the znode, as with /zookeeper/config
    identities owners;       // identities that may do everything; empty: every client may

    [[nodiscard]] bool allows(right wanted, const identities& client) const noexcept {
        if (read_only) return wanted == right::read;
        if (owners.empty()) return true;
        for (const std::string& id : client) {
            if (owners.contains(id)) return true;
        }
        return false;
    }
    friend bool operator==(const acl&, const acl&) = default;
};

enum class tree_node_kind { plain, ephemeral, container };

struct tree_node {
    std::string data;
    acl access;
    tree_node_kind kind = tree_node_kind::plain;
    std::int64_t owner = 0;  // id of the session that owns an ephemeral znode; else 0
    std::int64_t czxid = 0;
    std::int64_t mzxid = 0;
    std::int64_t pzxid = 0;
    std::int64_t ctime = 0;
    std::int64_t mtime = 0;
    std::int32_t version = 0;
    std::int32_t creates = 0;  // number of children created so far; the next sequence number
    std::set<std::string, std::less<>> children;

    [[nodiscard]] core::stat stat() const noexcept {
        core::stat s;
        s.czxid = czxid;
        s.mzxid = mzxid;
        s.pzxid = pzxid;
        s.ctime = ctime;
        s.mtime = mtime;
        s.version = version;
        s.cversion = visible_cversion();
        s.ephemeral_owner = owner;
        s.data_length = static_cast<std::int32_t>(data.size());
        s.num_children = static_cast<std::int32_t>(children.size());
        return s;
    }

    // Returns ZooKeeper's cversion: the number of creates plus the number of removals of children. The number of
    // removals is the number of creates minus the number of present children. cversion overflows as on the servers.
    [[nodiscard]] std::int32_t visible_cversion() const noexcept {
        const auto doubled = static_cast<std::uint32_t>(creates) * 2U;
        return static_cast<std::int32_t>(doubled - static_cast<std::uint32_t>(children.size()));
    }

    friend bool operator==(const tree_node&, const tree_node&) = default;
};

struct create_txn {
    std::string path;
    std::string data;
    acl access;
    tree_node_kind kind = tree_node_kind::plain;
    std::int64_t owner = 0;
    std::int32_t parent_creates = 0;  // the parent's counter of creates after the write
};
struct remove_txn {
    std::string path;
};
struct set_txn {
    std::string path;
    std::string data;
    std::int32_t version = 0;  // after the write
};
struct check_txn {};

// The changes of a write that has passed the checks, in the form of the servers' transaction log.
using transaction = std::variant<check_txn, create_txn, remove_txn, set_txn>;

// The number and the time that the servers give a transaction.
struct moment {
    std::int64_t zxid = 0;
    std::int64_t now_ms = 0;  // since 1970
};

}  // namespace turnstile::local
