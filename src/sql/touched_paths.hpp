// SPDX-License-Identifier: Apache-2.0
// touched_paths: the paths that requests must lock.
//
// Thread safety: none. A touched_paths is a value.
#pragma once

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/seam/seam.hpp"
#include "local/znode_path.hpp"

namespace turnstile::sql {

// A transaction that creates or removes a znode locks the path and the parent, which it also changes. For a sequential
// znode it locks only the parent, because the znode's name is not known yet. `exists` also locks the parent, so that no
// transaction can create a sequential znode with this path at the same time.
class touched_paths {
public:
    touched_paths() = default;
    explicit touched_paths(const core::operation& op) { add_request(op); }

    void add_request(const core::operation& op) { std::visit(*this, op); }

    void operator()(const core::create_op& op) {
        if (!core::is_sequential(op.mode)) return add_with_parent(op.path);
        add(local::parent_of(op.path));
        prefixes_.insert(op.path);
    }
    void operator()(const core::remove_op& op) { add_with_parent(op.path); }
    void operator()(const core::set_op& op) { add(op.path); }
    void operator()(const core::check_op& op) { add(op.path); }
    void operator()(const core::multi_op& op) {
        for (const core::multi_part& part : op.parts) std::visit(*this, part);
    }
    void operator()(const core::get_op& op) { add(op.path); }
    void operator()(const core::exists_op& op) { add_with_parent(op.path); }
    void operator()(const core::children_op& op) { add(op.path); }

    [[nodiscard]] std::vector<std::string> list() const { return {paths_.begin(), paths_.end()}; }
    // Returns the paths of sequential creates, to which the database appends a number.
    [[nodiscard]] std::vector<std::string> prefixes() const {
        return {prefixes_.begin(), prefixes_.end()};
    }

private:
    void add(const std::string& path) {
        if (local::server_accepts_path(path)) paths_.insert(path);
    }
    void add_with_parent(const std::string& path) {
        add(path);
        add(local::parent_of(path));
    }

    std::set<std::string> paths_;
    std::set<std::string> prefixes_;
};

}  // namespace turnstile::sql
