// SPDX-License-Identifier: Apache-2.0
// session_watches: the watches of one epoch: the contenders that are interested in each path (watch_registry.hpp), and
// the watches that must be given back to the servers once there is a connection again.
//
// Thread safety: none, a value.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/seam/seam.hpp"
#include "core/session/watch_registry.hpp"

namespace turnstile::core {

class session_watches {
public:
    void add(const std::string& path, contender_id id) {
        interests_.add(path, id);
        given_back_.erase(path);
    }
    // Returns true if this was the last interest in the path.
    [[nodiscard]] bool remove(const std::string& path, contender_id id) {
        return interests_.remove(path, id);
    }
    // Removes the interest of a contender that has set no watch. Returns true if this was the last interest and another
    // contender may have left a watch.
    [[nodiscard]] bool remove_unset(const std::string& path, contender_id id) {
        return interests_.remove_unset(path, id);
    }
    // For a path without interest, while there is no connection: the watch is given back at the next attach.
    void give_back_later(const std::string& path) { given_back_.insert(path); }
    [[nodiscard]] std::set<std::string> take_given_back() { return std::exchange(given_back_, {}); }
    // The contenders that are interested in this event.
    [[nodiscard]] std::vector<contender_id> fired(const watch_event& event) {
        auto interested = interests_.interested(event.path);
        if (event.kind == watch_kind::deleted) interests_.drop(event.path);
        return interested;
    }
    [[nodiscard]] const watch_registry& interests() const noexcept { return interests_; }

    friend bool operator==(const session_watches&, const session_watches&) = default;

private:
    watch_registry interests_;
    std::set<std::string> given_back_;
};

}  // namespace turnstile::core
