// SPDX-License-Identifier: Apache-2.0
// preparation: checks writes and converts them into transactions, as ZooKeeper's servers do before they commit. The
// tree in memory (tree.cpp) and the SQL databases (src/sql) use these checks. If a request has several faults, the
// first failing check decides the error. So the order of the checks is the same as on the servers.
//
//     node_source   provides the znodes as they were before the request
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/seam/seam.hpp"
#include "local/tree_node.hpp"

namespace turnstile::local {

struct prepared {
    core::server_error error = core::server_error::ok;
    transaction changes;  // empty unless `error` is ok
};

// The properties of a znode that the checks need.
struct node_record {
    std::int32_t version = 0;
    std::int32_t creates = 0;
    std::size_t children = 0;
    bool ephemeral = false;
    acl access;
};

// Provides the znodes as they were before the request.
class node_source {
public:
    [[nodiscard]] virtual std::optional<node_record> find(const std::string& path) const = 0;

protected:
    ~node_source() = default;
};

// Prepares the parts of one request. Each part sees the effects of the parts before it, but the calls change no znode.
// So a multi (a request with several parts) takes effect completely or not at all. Not thread-safe. The object
// keeps references to the constructor's arguments.
class preparation {
public:
    preparation(const node_source& nodes, std::int64_t session, const identities& client,
                std::int32_t creates_under_way = 0)
        : nodes_{nodes},
          session_{session},
          identities_{client},
          creates_under_way_{creates_under_way} {}

    [[nodiscard]] prepared prepare(const core::create_op& op);
    [[nodiscard]] prepared prepare(const core::remove_op& op);
    [[nodiscard]] prepared prepare(const core::set_op& op);
    [[nodiscard]] prepared prepare(const core::check_op& op);

private:
    [[nodiscard]] std::optional<node_record> find(const std::string& path) const;
    [[nodiscard]] std::optional<acl> access_for(core::acl_policy policy) const;
    [[nodiscard]] core::server_error check_node(const std::optional<node_record>& node,
                                                acl::right right,
                                                std::int32_t expected_version) const;
    [[nodiscard]] core::server_error check_create(const std::string& path,
                                                  const node_record& parent) const;

    const node_source& nodes_;
    const std::int64_t session_;
    const identities& identities_;
    const std::int32_t creates_under_way_;
    std::map<std::string, std::optional<node_record>>
        changed_;  // by the parts before; nullopt: removed
};

}  // namespace turnstile::local
