// SPDX-License-Identifier: Apache-2.0
// watch_registry: which contenders of this session want to hear of which znode.
//
// The servers keep one watch per session and path, however often it was asked for, and a session's watcher hears of each
// path once. So interests are counted here: an event goes to all contenders that are interested, and the watch is given
// back when none is any more. Where one of several leaves, the watch that it may have set is left to the others, which
// may have set none.
//
// After each break of its connection the C client sends all paths in one packet (`send_set_watches`), and a server
// refuses one above its jute.maxbuffer. So their bytes are counted, too.
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "core/contender/notice.hpp"
#include "core/session/id_set.hpp"

namespace turnstile::core {

class watch_registry {
public:
    void add(const std::string& path, acquisition_id id) {
        const auto [entry, is_new] = paths_.try_emplace(path);
        if (is_new) bytes_ += path.size();
        entry->second.interested.insert(id);
    }

    // True if no contender is interested any more in a path that some were interested in.
    [[nodiscard]] bool remove(const std::string& path, acquisition_id id) {
        const auto entry = find(path, id);
        if (entry == paths_.end()) return false;
        entry->second.inherited = true;
        return leave(entry, id).is_last;
    }

    // The same of a contender that has set no watch: true if no contender is interested any more and another one may
    // have set it.
    [[nodiscard]] bool remove_unset(const std::string& path, acquisition_id id) {
        const auto entry = find(path, id);
        if (entry == paths_.end()) return false;
        const auto left = leave(entry, id);
        return left.is_last && left.inherited;
    }

    // In the order of their ids.
    [[nodiscard]] std::vector<acquisition_id> interested(const std::string& path) const {
        const auto entry = paths_.find(path);
        if (entry == paths_.end()) return {};
        return {entry->second.interested.begin(), entry->second.interested.end()};
    }

    // The znode is gone, and the watch with it.
    void drop(const std::string& path) {
        const auto entry = paths_.find(path);
        if (entry != paths_.end()) erase(entry);
    }
    [[nodiscard]] bool contains(const std::string& path) const { return paths_.contains(path); }
    // Paths that a contender is interested in, and their bytes.
    [[nodiscard]] std::size_t size() const noexcept { return paths_.size(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    friend bool operator==(const watch_registry&, const watch_registry&) = default;

private:
    struct watched_path {
        id_set interested;       // never empty
        bool inherited = false;  // of a contender that has left, by the others
        friend bool operator==(const watched_path&, const watched_path&) = default;
    };
    using paths = std::map<std::string, watched_path>;
    struct departure {
        bool is_last = false;
        bool inherited = false;  // and another one may have left it the watch
    };

    // The path if the contender is interested in it.
    [[nodiscard]] paths::iterator find(const std::string& path, acquisition_id id) {
        const auto entry = paths_.find(path);
        if (entry == paths_.end() || entry->second.interested.contains(id)) return entry;
        return paths_.end();
    }
    departure leave(paths::iterator entry, acquisition_id id) {
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
};

}  // namespace turnstile::core
