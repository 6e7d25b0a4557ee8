// SPDX-License-Identifier: Apache-2.0
// transaction: the changes of a write that has passed the checks, in the form of the servers' transaction log.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "local/tree_node.hpp"

namespace turnstile::local {

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

using transaction = std::variant<check_txn, create_txn, remove_txn, set_txn>;

// The number and the time that the servers give a transaction.
struct moment {
    std::int64_t zxid = 0;
    std::int64_t now_ms = 0;  // since 1970
};

}  // namespace turnstile::local
