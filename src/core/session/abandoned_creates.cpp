// SPDX-License-Identifier: Apache-2.0
#include "core/session/abandoned_creates.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "core/queue/contender_name.hpp"

namespace turnstile::core {

namespace {

constexpr int k_first_look = 8;  // the first search follows after this part of the session timeout
// A create whose answer was lost may block the queue for one session timeout and two ticks (G4 in docs/guarantees.md),
// and no server grants a session timeout below two ticks. So the last search follows after two session timeouts.
constexpr int k_last_look = 2;  // the last search follows after this many session timeouts

}  // namespace

void abandoned_creates::add(const std::string& folder, const std::string& guid, time_point now,
                            duration timeout) {
    TURNSTILE_CHECK(!guid.empty());
    TURNSTILE_CHECK(timeout > duration{});
    if (size() >= k_most) drop_oldest();
    const auto first = std::max(timeout / k_first_look, duration{1});
    by_folder_[folder][guid] = {now, first, timeout * k_last_look};
    find_due();
    TURNSTILE_CHECK(size() <= k_most);
    TURNSTILE_CHECK(due_);
}

std::vector<std::string> abandoned_creates::take(const std::string& folder,
                                                 const std::vector<std::string>& children) {
    std::vector<std::string> found;
    const auto at = by_folder_.find(folder);
    if (at == by_folder_.end()) return found;
    for (const auto& child : children) {
        const auto guid = contender_guid(child);
        if (!guid.empty() && at->second.erase(std::string{guid}) > 0) found.push_back(child);
    }
    if (at->second.empty()) by_folder_.erase(at);
    find_due();
    return found;
}

void abandoned_creates::find_due() {
    due_.reset();
    for (const auto& [folder, searches] : by_folder_)
        for (const auto& [guid, open_search] : searches)
            due_ = std::min(due_.value_or(open_search.next()), open_search.next());
}

std::string abandoned_creates::folder_due() const {
    TURNSTILE_CHECK(due_);
    for (const auto& [folder, searches] : by_folder_)
        for (const auto& [guid, open_search] : searches)
            if (open_search.next() == due_) return folder;
    return {};
}

void abandoned_creates::looked(const std::string& folder, time_point sent) {
    const auto at = by_folder_.find(folder);
    if (at == by_folder_.end()) return;
    auto& searches = at->second;
    for (auto each = searches.begin(); each != searches.end();) {
        auto& open_search = each->second;
        if (open_search.since + open_search.last <= sent) {
            each = searches.erase(each);
            continue;
        }
        TURNSTILE_CHECK(open_search.pause > duration{});
        while (open_search.next() <= sent)
            open_search.pause = std::min(2 * open_search.pause, open_search.last);
        ++each;
    }
    if (at->second.empty()) by_folder_.erase(at);
    find_due();
}

std::size_t abandoned_creates::size() const noexcept {
    std::size_t sum = 0;
    for (const auto& [folder, searches] : by_folder_) sum += searches.size();
    return sum;
}

void abandoned_creates::drop_oldest() {
    std::string oldest_folder;
    std::string oldest;
    std::optional<time_point> since;
    for (const auto& [folder, searches] : by_folder_) {
        for (const auto& [guid, open_search] : searches) {
            if (since && *since <= open_search.since) continue;
            since = open_search.since;
            oldest_folder = folder;
            oldest = guid;
        }
    }
    TURNSTILE_CHECK(since);
    auto& searches = by_folder_[oldest_folder];
    searches.erase(oldest);
    if (searches.empty()) by_folder_.erase(oldest_folder);
}

}  // namespace turnstile::core
