// SPDX-License-Identifier: Apache-2.0
// session_watches: the watches of one epoch. It stores which contenders are interested in each path
// (watch_registry.hpp), and, while the session has no connection, which watches the servers must drop after the next
// attach.
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
    [[nodiscard]] bool remove(const std::string& path, contender_id id) {
        return interests_.remove(path, id);
    }
    [[nodiscard]] bool remove_unset(const std::string& path, contender_id id) {
        return interests_.remove_unset(path, id);
    }
    // Stores a path in which no contender is interested any more. At the next attach the session requests that the
    // servers drop the watch on that path.
    void give_back_later(const std::string& path) { given_back_.insert(path); }
    [[nodiscard]] std::set<std::string> take_given_back() { return std::exchange(given_back_, {}); }
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
