// SPDX-License-Identifier: Apache-2.0
// watch_registry: which contenders of this session want to hear of which znode.
//
// The servers keep one watch per session and path, however often it was asked for, and a session's
// watcher hears of each path once. So interests are counted here: an event goes to all contenders that are
// interested, and the watch is given back when none is any more. Where one of
// several leaves, the watch that it may have set is left to the others, which may have set none. A pure value.
//
// A contender that is interested knows the path. Here are only two hashes of it, by different functions, instead of one more copy
// of each path that is waited on: of a million paths two share both about once in 10^26 times. They stand in one sorted
// array: a session has a few thousand at most, and a node of a table for each would take twice the memory.
//
// After each break of its connection the C client sends all paths in one packet (`send_set_watches`), and a server
// refuses one above its jute.maxbuffer. So their bytes are counted, too.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/container/flat_set.hpp>
#include <boost/functional/hash.hpp>

#include "base/check.hpp"
#include "base/release_if_empty.hpp"
#include "core/contender/notice.hpp"

namespace turnstile::core {

class watch_registry {
public:
    void add(const std::string& path, acquisition_id id) {
        const auto hashes = key(path);
        const auto [at, added] = interests_.insert({hashes, id});
        const bool first = at == interests_.begin() || std::prev(at)->path != hashes;
        const bool last = std::next(at) == interests_.end() || std::next(at)->path != hashes;
        if (added && first && last) count_in(path);
    }

    // True if no contender is interested any more in a path that some were interested in.
    [[nodiscard]] bool remove(const std::string& path, acquisition_id id) {
        const auto hashes = key(path);
        if (interests_.erase({hashes, id}) == 0) return false;
        base::release_if_empty(interests_);
        const auto [begin, end] = all_of(hashes);
        if (begin != end) {
            inherited_.insert(hashes);
            return false;
        }
        static_cast<void>(disinherit(hashes));
        count_out(path);
        return true;
    }

    // The same of a contender that has set no watch: true if no contender is interested any more and another one may
    // have set it.
    [[nodiscard]] bool remove_unset(const std::string& path, acquisition_id id) {
        const auto hashes = key(path);
        if (interests_.erase({hashes, id}) == 0) return false;
        base::release_if_empty(interests_);
        const auto [begin, end] = all_of(hashes);
        if (begin != end) return false;
        count_out(path);
        return disinherit(hashes);
    }

    // In the order of their ids.
    [[nodiscard]] std::vector<acquisition_id> interested(const std::string& path) const {
        std::vector<acquisition_id> all;
        const auto [begin, end] = all_of(key(path));
        for (auto at = begin; at != end; ++at) all.push_back(at->id);
        return all;
    }

    // The znode is gone, and the watch with it.
    void drop(const std::string& path) {
        const auto [begin, end] = all_of(key(path));
        if (begin == end) return;
        static_cast<void>(disinherit(begin->path));
        interests_.erase(begin, end);
        count_out(path);
        base::release_if_empty(interests_);
    }
    [[nodiscard]] bool contains(const std::string& path) const {
        const auto [begin, end] = all_of(key(path));
        return begin != end;
    }
    // Paths that a contender is interested in, and their bytes.
    [[nodiscard]] std::size_t size() const noexcept { return paths_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    friend bool operator==(const watch_registry&, const watch_registry&) = default;

private:
    struct fingerprint {
        std::size_t first = 0;
        std::size_t other = 0;
        friend auto operator<=>(const fingerprint&, const fingerprint&) = default;
    };
    struct interest {
        fingerprint path;
        acquisition_id id{};
        friend auto operator<=>(const interest&, const interest&) = default;
    };
    using interests = boost::container::flat_set<interest>;

    [[nodiscard]] static fingerprint key(const std::string& path) {
        return {std::hash<std::string>{}(path), boost::hash<std::string>{}(path)};
    }
    [[nodiscard]] std::pair<interests::const_iterator, interests::const_iterator> all_of(
        const fingerprint& hashes) const {
        constexpr auto k_last = std::numeric_limits<std::underlying_type_t<acquisition_id>>::max();
        return {interests_.lower_bound({hashes, acquisition_id{}}),
                interests_.upper_bound({hashes, acquisition_id{k_last}})};
    }
    bool disinherit(const fingerprint& path) {
        const bool was_inherited = inherited_.erase(path) != 0;
        base::release_if_empty(inherited_);
        return was_inherited;
    }
    void count_in(const std::string& path) noexcept {
        ++paths_;
        bytes_ += path.size();
    }
    void count_out(const std::string& path) noexcept {
        TURNSTILE_CHECK(paths_ > 0);
        TURNSTILE_CHECK(bytes_ >= path.size());
        --paths_;
        bytes_ -= path.size();
    }

    interests interests_;
    boost::container::flat_set<fingerprint> inherited_;  // of contenders that have left, by others
    std::size_t paths_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace turnstile::core
