// SPDX-License-Identifier: Apache-2.0
// awaited_znodes: the set of znodes that a waiter watches in its lock's folder. The set nearly always has one znode:
// the nearest contender ahead. A semaphore's first waiter watches the holders, and the folder. The set is compact,
// because a process may have a hundred thousand waiters, each with a set.
//
// Thread safety: none, a value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "base/path.hpp"
#include "core/contender/contender_session.hpp"
#include "core/seam/pending_ticket.hpp"

namespace turnstile::core {

struct awaited_znode {
    std::string child;     // name in the folder; empty: the folder itself
    std::uint64_t on = 0;  // number of the connection with the watch; 0: not watched
    pending_ticket probing;

    [[nodiscard]] std::string path(const std::string& folder) const {
        return child.empty() ? folder : base::child_path(folder, child);
    }
    friend bool operator==(const awaited_znode&, const awaited_znode&) = default;
};

// A set of znodes in the order of their names. If the set contains the lock's folder, the folder comes first.
class awaited_znodes {
public:
    // Adds the znode `child`, and returns a pointer to it. Returns nullptr if the set contains the znode already.
    const awaited_znode* add(std::string_view child) {
        if (find(child) != nullptr) return nullptr;
        const auto behind = std::find_if(all_.begin(), all_.end(),
                                         [&](const auto& znode) { return znode.child > child; });
        return &*all_.insert(behind, awaited_znode{std::string{child}, 0, {}});
    }
    [[nodiscard]] awaited_znode* find(const std::string& folder, std::string_view path) {
        if (!path.starts_with(folder)) return nullptr;
        path.remove_prefix(folder.size());
        if (path.empty()) return find(std::string_view{});
        return path.starts_with('/') && path.size() > 1 ? find(path.substr(1)) : nullptr;
    }
    // Removes the znode and returns its name. Pointers to other znodes of the set become invalid.
    std::string remove(const awaited_znode& znode) {
        const auto position = all_.begin() + (&znode - all_.data());
        auto name = std::move(position->child);
        all_.erase(position);
        return name;
    }
    template <class F>
    void remove_if(F&& unwanted) {
        all_.erase(std::remove_if(all_.begin(), all_.end(), unwanted), all_.end());
    }
    // Unregisters the contender from the watches on all znodes of the set, and clears the set.
    void give_back(contender_session& c, const std::string& folder) {
        for (const auto& znode : all_) c.unwatch(znode.path(folder));
        all_.clear();
    }
    [[nodiscard]] std::vector<std::string> take_paths(const std::string& folder) {
        std::vector<std::string> paths;
        for (const auto& znode : all_) paths.push_back(znode.path(folder));
        all_.clear();
        return paths;
    }
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }

    [[nodiscard]] auto begin() noexcept { return all_.begin(); }
    [[nodiscard]] auto end() noexcept { return all_.end(); }
    [[nodiscard]] auto begin() const noexcept { return all_.begin(); }
    [[nodiscard]] auto end() const noexcept { return all_.end(); }

    friend bool operator==(const awaited_znodes&, const awaited_znodes&) = default;

private:
    [[nodiscard]] awaited_znode* find(std::string_view name) {
        const auto found = std::find_if(all_.begin(), all_.end(),
                                        [&](const auto& znode) { return znode.child == name; });
        return found == all_.end() ? nullptr : &*found;
    }

    boost::container::small_vector<awaited_znode, 1> all_;
};

}  // namespace turnstile::core
