// watch_registry: who in this session wants to hear of which znode.
//
// The servers keep one watch per session and path, however often it was asked for, and a session's
// watcher hears of each path once. So interests are counted here: an event goes to everybody who is
// interested, and the watch is given back when nobody is any more. A pure value.
//
// Whoever is interested knows the path. Here are only two hashes of it, by different functions, instead of one more copy
// of each path that is waited on: of a million paths two share both about once in 10^26 times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/functional/hash.hpp>

#include "core/notice.hpp"

namespace turnstile::core {

class watch_registry {
public:
    void add(const std::string& path, acquisition_id who) {
        if (find(path, who) == interests_.end()) interests_.emplace(key(path), who);
    }

    // True if nobody is interested any more in a path that somebody was interested in.
    [[nodiscard]] bool remove(const std::string& path, acquisition_id who) {
        const auto found = find(path, who);
        if (found == interests_.end()) return false;
        interests_.erase(found);
        return !interests_.contains(key(path));
    }

    // In the order of their ids.
    [[nodiscard]] std::vector<acquisition_id> interested(const std::string& path) const {
        std::vector<acquisition_id> all;
        const auto [begin, end] = interests_.equal_range(key(path));
        for (auto at = begin; at != end; ++at) all.push_back(at->second);
        std::sort(all.begin(), all.end());
        return all;
    }

    // The znode is gone, and the watch with it.
    void drop(const std::string& path) { interests_.erase(key(path)); }
    void clear() { interests_.clear(); }
    // Paths that somebody is interested in.
    [[nodiscard]] std::size_t size() const {
        std::size_t paths = 0;
        for (auto at = interests_.begin(); at != interests_.end();
             at = interests_.equal_range(at->first).second)
            ++paths;
        return paths;
    }

    friend bool operator==(const watch_registry&, const watch_registry&) = default;

private:
    struct fingerprint {
        std::size_t one = 0;
        std::size_t other = 0;
        friend bool operator==(const fingerprint&, const fingerprint&) = default;
    };
    struct first_of {
        std::size_t operator()(const fingerprint& of) const noexcept { return of.one; }
    };
    using map = std::unordered_multimap<fingerprint, acquisition_id, first_of>;

    [[nodiscard]] static fingerprint key(const std::string& path) {
        return {std::hash<std::string>{}(path), boost::hash<std::string>{}(path)};
    }
    [[nodiscard]] map::const_iterator find(const std::string& path, acquisition_id who) const {
        const auto [begin, end] = interests_.equal_range(key(path));
        const auto found =
            std::find_if(begin, end, [who](const auto& one) { return one.second == who; });
        return found == end ? interests_.end() : found;
    }

    map interests_;
};

}  // namespace turnstile::core
