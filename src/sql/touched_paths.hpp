// SPDX-License-Identifier: Apache-2.0
// touched_paths: the paths that requests must lock, and the requests that only check paths.
//
// Thread safety: none. A touched_paths is a value.
#pragma once

#include <algorithm>
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

// True for a request that only checks znodes. With such a request a session proves that it has not expired.
[[nodiscard]] inline bool is_confirmation(const core::operation& op) noexcept {
    const auto* const multi = std::get_if<core::multi_op>(&op);
    return multi != nullptr && !multi->parts.empty() && !core::changes_nodes(op);
}

// Returns true if the request `ahead`, executed first, may change the reply to `confirmation`, a request that only
// checks znodes. A sequential create may create any path that begins with its prefix.
[[nodiscard]] inline bool may_change_what_is_checked(const core::operation& ahead,
                                                     const core::operation& confirmation) {
    if (!core::is_write(ahead) || is_confirmation(ahead)) return false;
    const touched_paths touching{ahead};
    const std::vector<std::string> paths = touching.list();
    const std::vector<std::string> prefixes = touching.prefixes();
    const auto& checks = std::get<core::multi_op>(confirmation).parts;
    return std::any_of(checks.begin(), checks.end(), [&](const core::multi_part& part) {
        const std::string& path = std::get<core::check_op>(part).path;
        return std::find(paths.begin(), paths.end(), path) != paths.end() ||
               std::any_of(prefixes.begin(), prefixes.end(),
                           [&](const std::string& prefix) { return path.starts_with(prefix); });
    });
}

}  // namespace turnstile::sql
