// SPDX-License-Identifier: Apache-2.0
// watch_registry: stores which contenders of a session are interested in the events of each znode. While the session
// has no connection, also stores which watches the servers must drop on the next connection.
//
// The servers keep one watch for each session and path, however often it was set, and report each event to the session
// once. So this registry counts the interested contenders. An event goes to all interested contenders. When no
// contender is interested any more, the session drops the watch at the servers. If one of several interested contenders
// leaves, the watch that it may have set stays, because the other contenders may have set no watch.
//
// After each break of a connection the C client sends all watched paths in one packet (`send_set_watches`), and a
// server refuses a packet above its jute.maxbuffer. So the registry also counts the bytes of the paths.
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"
#include "core/session/id_set.hpp"

namespace turnstile::core {

class watch_registry {
public:
    void add(const std::string& path, contender_id id) {
        const auto [entry, is_new] = paths_.try_emplace(path);
        if (is_new) bytes_ += path.size();
        entry->second.interested.insert(id);
        given_back_.erase(path);
    }

    // Notes that the contender is not interested in the path any more. Returns true if no other contender is interested
    // in the path.
    [[nodiscard]] bool remove(const std::string& path, contender_id id) {
        const auto entry = find(path, id);
        if (entry == paths_.end()) return false;
        entry->second.inherited = true;
        return leave(entry, id).is_last;
    }

    // Notes that a contender, which has set no watch itself, is not interested in the path any more. Returns true if no
    // other contender is interested, and a contender that left before may have set a watch, which still exists.
    [[nodiscard]] bool remove_unset(const std::string& path, contender_id id) {
        const auto entry = find(path, id);
        if (entry == paths_.end()) return false;
        const auto left = leave(entry, id);
        return left.is_last && left.inherited;
    }

    // Stores a path in which no contender is interested any more. On the next connection the session requests that the
    // servers drop the watch on that path.
    void give_back_later(const std::string& path) { given_back_.insert(path); }
    [[nodiscard]] std::set<std::string> take_given_back() { return std::exchange(given_back_, {}); }

    // Returns the contenders that are interested in the event.
    [[nodiscard]] std::vector<contender_id> fired(const watch_event& event) {
        auto all = interested(event.path);
        if (event.kind == watch_kind::deleted) drop(event.path);
        return all;
    }

    [[nodiscard]] std::vector<contender_id> interested(const std::string& path) const {
        const auto entry = paths_.find(path);
        if (entry == paths_.end()) return {};
        return {entry->second.interested.begin(), entry->second.interested.end()};
    }

    // Called when the znode is gone. The servers have then dropped the watch on it.
    void drop(const std::string& path) {
        const auto entry = paths_.find(path);
        if (entry != paths_.end()) erase(entry);
    }
    [[nodiscard]] bool contains(const std::string& path) const { return paths_.contains(path); }
    // Number of paths in which contenders are interested, and the sum of their bytes.
    [[nodiscard]] std::size_t size() const noexcept { return paths_.size(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    friend bool operator==(const watch_registry&, const watch_registry&) = default;

private:
    struct watched_path {
        id_set interested;       // never empty
        bool inherited = false;  // an earlier contender of the path may have set the watch
        friend bool operator==(const watched_path&, const watched_path&) = default;
    };
    using paths = std::map<std::string, watched_path>;
    struct departure {
        bool is_last = false;
        bool inherited = false;  // an earlier contender may have set the watch
    };

    // Returns the entry of the path if the contender is interested in it; the end iterator otherwise.
    [[nodiscard]] paths::iterator find(const std::string& path, contender_id id) {
        const auto entry = paths_.find(path);
        if (entry == paths_.end() || entry->second.interested.contains(id)) return entry;
        return paths_.end();
    }
    departure leave(paths::iterator entry, contender_id id) {
        auto& interested = entry->second.interested;
        interested.erase(id);
        if (!interested.empty()) return {};
        const bool inherited = entry->second.inherited;
        erase(entry);
        return {true, inherited};
    }
    void erase(paths::iterator entry) noexcept {
        TURNSTILE_CHECK(bytes_ >= entry->first.size());
        bytes_ -= entry->first.size();
        paths_.erase(entry);
    }

    paths paths_;
    std::size_t bytes_ = 0;
    std::set<std::string> given_back_;
};

}  // namespace turnstile::core
