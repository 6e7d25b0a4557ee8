// SPDX-License-Identifier: Apache-2.0
// awaited_znodes: what a waiter watches in its lock's folder: nearly always one znode, the nearest one ahead; of a
// semaphore several, and the folder itself. Of a hundred thousand waiters each has one of these.
//
// A value. Thread safety: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/container/small_vector.hpp>

#include "core/queue/packed_name.hpp"
#include "core/seam/pending_ticket.hpp"

namespace turnstile::core {

struct awaited_znode {
    packed_name child;     // none: the folder
    std::uint64_t on = 0;  // the connection on which it is watched; 0: not, or not any more
    pending_ticket probing;

    [[nodiscard]] std::string path(const std::string& folder) const {
        return child.empty() ? folder : folder + '/' + child.str();
    }
    friend bool operator==(const awaited_znode&, const awaited_znode&) = default;
};

// In the order of their names, the folder first.
class awaited_znodes {
public:
    // nullptr: it is there already.
    const awaited_znode* add(std::string_view child) {
        packed_name name{child};
        if (find(name) != nullptr) return nullptr;
        const auto behind = std::find_if(all_.begin(), all_.end(),
                                         [&](const auto& one) { return one.child.str() > child; });
        return &*all_.insert(behind, awaited_znode{std::move(name), 0, {}});
    }
    // By its whole path; nullptr: it is not awaited.
    [[nodiscard]] awaited_znode* find(const std::string& folder, std::string_view path) {
        if (!path.starts_with(folder)) return nullptr;
        path.remove_prefix(folder.size());
        if (path.empty()) return find(packed_name{});
        return path.starts_with('/') && path.size() > 1 ? find(path.substr(1)) : nullptr;
    }
    // Its name; the other ones may move.
    packed_name remove(const awaited_znode& one) {
        auto name = one.child;
        all_.erase(all_.begin() + (&one - all_.data()));
        return name;
    }
    template <class F>
    void remove_if(F&& unwanted) {
        all_.erase(std::remove_if(all_.begin(), all_.end(), unwanted), all_.end());
    }
    void clear() noexcept { all_.clear(); }

    [[nodiscard]] auto begin() noexcept { return all_.begin(); }
    [[nodiscard]] auto end() noexcept { return all_.end(); }
    [[nodiscard]] auto begin() const noexcept { return all_.begin(); }
    [[nodiscard]] auto end() const noexcept { return all_.end(); }

    friend bool operator==(const awaited_znodes&, const awaited_znodes&) = default;

private:
    [[nodiscard]] awaited_znode* find(const packed_name& name) {
        const auto found = std::find_if(all_.begin(), all_.end(),
                                        [&](const auto& one) { return one.child == name; });
        return found == all_.end() ? nullptr : &*found;
    }

    boost::container::small_vector<awaited_znode, 1> all_;
};

}  // namespace turnstile::core
