// watch_registry: who in this session wants to hear of which znode.
//
// The servers keep one watch per session and path, however often it was asked for, and a session's
// watcher hears of each path once. So interests are counted here: an event goes to everybody who is
// interested, and the watch is given back when nobody is any more. A pure value.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/notice.hpp"

namespace turnstile::core {

class watch_registry {
public:
    void add(const std::string& path, acquisition_id who) { interested_[path].insert(who); }

    // True if nobody is interested any more in a path that somebody was interested in.
    [[nodiscard]] bool remove(const std::string& path, acquisition_id who) {
        const auto found = interested_.find(path);
        if (found == interested_.end() || found->second.erase(who) == 0) return false;
        if (!found->second.empty()) return false;
        interested_.erase(found);
        return true;
    }

    [[nodiscard]] std::vector<acquisition_id> interested(const std::string& path) const {
        const auto found = interested_.find(path);
        if (found == interested_.end()) return {};
        return {found->second.begin(), found->second.end()};
    }

    // The znode is gone, and the watch with it.
    void drop(const std::string& path) { interested_.erase(path); }
    void clear() { interested_.clear(); }
    [[nodiscard]] std::size_t size() const noexcept { return interested_.size(); }

    friend bool operator==(const watch_registry&, const watch_registry&) = default;

private:
    std::map<std::string, std::set<acquisition_id>> interested_;
};

}  // namespace turnstile::core
