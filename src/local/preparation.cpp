// SPDX-License-Identifier: Apache-2.0
#include "local/preparation.hpp"

#include <cstdio>
#include <limits>
#include <utility>

#include "local/znode_path.hpp"

namespace turnstile::local {
namespace {

using core::create_mode;
using core::server_error;

prepared refused(server_error why) {
    return {why, {}};
}

tree_node_kind kind_of(create_mode mode) noexcept {
    switch (mode) {
        case create_mode::ephemeral:
        case create_mode::ephemeral_sequential: return tree_node_kind::ephemeral;
        case create_mode::container: return tree_node_kind::container;
        case create_mode::persistent:
        case create_mode::persistent_sequential: break;
    }
    return tree_node_kind::plain;
}

std::string sequence_suffix(std::int32_t number) {
    char text[16];
    std::snprintf(text, sizeof text, "%010d", number);
    return text;
}

// In Java, the language of the servers, the successor of the largest number is the smallest.
std::int32_t next(std::int32_t n) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(n) + 1U);
}

}  // namespace

prepared preparation::prepare(const core::create_op& op) {
    if (!has_parent(op.path)) return refused(server_error::bad_arguments);
    const std::optional<acl> access = access_for(op.acl);
    if (!access) return refused(server_error::invalid_acl);
    const std::string parent_path = parent_of(op.path);
    std::optional<node_record> parent = find(parent_path);
    if (!parent) return refused(server_error::no_node);
    if (!parent->access.allows(acl::right::other, identities_))
        return refused(server_error::no_auth);

    std::string path = op.path;
    if (is_sequential(op.mode)) {
        auto number = parent->creates;
        if (number == std::numeric_limits<std::int32_t>::max())
            for (auto i = creates_under_way_; i > 0; --i) number = next(number);
        path += sequence_suffix(number);
    }
    if (const server_error e = check_create(path, *parent); e != server_error::ok) {
        return refused(e);
    }

    const tree_node_kind kind = kind_of(op.mode);
    const bool ephemeral = kind == tree_node_kind::ephemeral;
    parent->creates = next(parent->creates);
    parent->children += 1;
    create_txn txn{path, op.data, *access, kind, ephemeral ? session_ : 0, parent->creates};
    changed_.insert_or_assign(parent_path, std::move(parent));
    changed_.insert_or_assign(std::move(path), node_record{0, 0, 0, ephemeral, *access});
    return {server_error::ok, std::move(txn)};
}

prepared preparation::prepare(const core::remove_op& op) {
    if (!has_parent(op.path) || is_system_path(op.path)) {
        return refused(server_error::bad_arguments);
    }
    const std::string parent_path = parent_of(op.path);
    std::optional<node_record> parent = find(parent_path);
    if (!parent) return refused(server_error::no_node);
    if (!parent->access.allows(acl::right::other, identities_))
        return refused(server_error::no_auth);
    const std::optional<node_record> node = find(op.path);
    if (!node) return refused(server_error::no_node);
    if (op.version != core::k_any_version && op.version != node->version) {
        return refused(server_error::bad_version);
    }
    if (node->children > 0) return refused(server_error::not_empty);

    parent->children -= 1;
    changed_.insert_or_assign(parent_path, std::move(parent));
    changed_.insert_or_assign(op.path, std::nullopt);
    return {server_error::ok, remove_txn{op.path}};
}

prepared preparation::prepare(const core::set_op& op) {
    if (!server_accepts_path(op.path)) return refused(server_error::bad_arguments);
    std::optional<node_record> node = find(op.path);
    if (const server_error e = check_node(node, acl::right::other, op.version);
        e != server_error::ok) {
        return refused(e);
    }
    node->version = next(node->version);
    set_txn txn{op.path, op.data, node->version};
    changed_.insert_or_assign(op.path, std::move(node));
    return {server_error::ok, std::move(txn)};
}

prepared preparation::prepare(const core::check_op& op) {
    if (!server_accepts_path(op.path)) return refused(server_error::bad_arguments);
    return {check_node(find(op.path), acl::right::read, op.version), check_txn{}};
}

std::optional<node_record> preparation::find(const std::string& path) const {
    if (const auto found = changed_.find(path); found != changed_.end()) return found->second;
    return nodes_.find(path);
}

// Returns nothing for `creator_only` if the session has no identity that could get the rights.
std::optional<acl> preparation::access_for(core::acl_policy policy) const {
    if (policy == core::acl_policy::open) return acl{};
    if (identities_.empty()) return std::nullopt;
    return acl{false, identities_};
}

server_error preparation::check_node(const std::optional<node_record>& node, acl::right right,
                                     std::int32_t expected_version) const {
    if (!node) return server_error::no_node;
    if (!node->access.allows(right, identities_)) return server_error::no_auth;
    if (expected_version != core::k_any_version && expected_version != node->version) {
        return server_error::bad_version;
    }
    return server_error::ok;
}

server_error preparation::check_create(const std::string& path, const node_record& parent) const {
    if (!server_accepts_path(path)) return server_error::bad_arguments;
    if (find(path)) return server_error::node_exists;
    if (parent.ephemeral) return server_error::no_children_for_ephemerals;
    return server_error::ok;
}

}  // namespace turnstile::local
