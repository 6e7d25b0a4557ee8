// SPDX-License-Identifier: Apache-2.0
// read_batch: the reads of one transaction. Either every read sets a watch, or no read sets a watch
// (request_batch.hpp).
//
// Thread safety: none. A read_batch is a value.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/seam/seam.hpp"
#include "local/znode_path.hpp"
#include "sql/stored_nodes.hpp"
#include "sql/touched_paths.hpp"

namespace turnstile::sql {

struct reading {
    std::string path;
    bool watched = false;
    bool may_miss = false;  // the read may watch an absent znode
    bool lists = false;
    bool tells_data = false;
    bool possible = false;  // a path that a znode may have

    explicit reading(const core::operation& op) {
        std::visit([this]<class Op>(const Op& request) { take(request); }, op);
        possible = local::server_accepts_path(path);
    }
    [[nodiscard]] watched_part table() const noexcept {
        return lists ? watched_part::children : watched_part::data;
    }

private:
    template <class Op>
    void take(const Op& request) {
        if constexpr (requires { request.watch; }) {
            path = request.path;
            watched = request.watch == core::watch_mode::watch;
            may_miss = std::is_same_v<Op, core::exists_op>;
            lists = std::is_same_v<Op, core::children_op>;
            tells_data = std::is_same_v<Op, core::get_op>;
        }
    }
};

class read_batch {
public:
    explicit read_batch(std::span<const core::operation* const> all) {
        for (const core::operation* const op : all) {
            const reading& added = all_.emplace_back(*op);
            touching_.add_request(*op);
            if (!added.possible) continue;
            paths_.insert(added.path);
            if (added.lists) folders_.insert(added.path);
        }
    }

    [[nodiscard]] const std::vector<reading>& all() const noexcept { return all_; }
    [[nodiscard]] bool watched() const noexcept { return all_.front().watched; }
    [[nodiscard]] bool lists() const noexcept {
        return std::any_of(all_.begin(), all_.end(), [](const reading& r) { return r.lists; });
    }
    [[nodiscard]] bool watches_what_is_there() const noexcept {
        return watched() && std::any_of(all_.begin(), all_.end(),
                                        [](const reading& r) { return r.possible && !r.may_miss; });
    }
    // paths() returns the paths of the znodes to read, and folders() the folders whose children the batch lists.
    // locked() returns the paths to lock if the reads set watches.
    [[nodiscard]] std::vector<std::string> paths() const { return {paths_.begin(), paths_.end()}; }
    [[nodiscard]] std::vector<std::string> folders() const {
        return {folders_.begin(), folders_.end()};
    }
    [[nodiscard]] std::vector<std::string> locked() const { return touching_.list(); }

private:
    std::vector<reading> all_;
    touched_paths touching_;
    std::set<std::string> paths_;
    std::set<std::string> folders_;
};

}  // namespace turnstile::sql
