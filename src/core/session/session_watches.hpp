// SPDX-License-Identifier: Apache-2.0
// session_watches: the watches of one epoch: which contenders are interested in which path (watch_registry.hpp), and
// which watches are to be given back to the servers once there is a connection again.
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
    void add(const std::string& path, acquisition_id id) {
        interests_.add(path, id);
        given_back_.erase(path);
    }
    // True if no contender is interested any more in a path that some were interested in.
    [[nodiscard]] bool remove(const std::string& path, acquisition_id id) {
        return interests_.remove(path, id);
    }
    // The same of a contender that has set no watch; true if another one may have left it one.
    [[nodiscard]] bool remove_unset(const std::string& path, acquisition_id id) {
        return interests_.remove_unset(path, id);
    }
    // Of a path without interest, while there is no connection: the servers are told at the next attach.
    void give_back_later(const std::string& path) { given_back_.insert(path); }
    [[nodiscard]] std::set<std::string> take_given_back() { return std::exchange(given_back_, {}); }
    // The contenders that are interested in what has happened.
    [[nodiscard]] std::vector<acquisition_id> fired(const watch_event& event) {
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
