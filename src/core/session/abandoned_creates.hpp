// SPDX-License-Identifier: Apache-2.0
// abandoned_creates: creates whose answer was lost, which a list did not show, and which another create has replaced.
// An abandoned create may still commit, later than it should (docs/why/mutex.md, step 2). Its znode would block the
// queue for as long as the session lives. So the session searches for it: it lists the folder at an eighth, a quarter,
// half, once and twice the session timeout after the create was abandoned. Every other list of that folder counts as
// well. A znode that a list shows is returned for removal.
//
// A pure value. Thread safety: none.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/seam/seam.hpp"

namespace turnstile::core {

class abandoned_creates {
public:
    // A session has fewer creates in progress than this: its znodes are bounded, see owned_bytes. If its connections
    // break so often that there are more, the search for the oldest ends.
    static constexpr std::size_t k_most = 4096;

    void add(const std::string& folder, const std::string& guid, time_point now, duration timeout);
    // Returns the names among the children of `folder` that stem from an abandoned create, and ends the search for
    // these: a create commits once.
    [[nodiscard]] std::vector<std::string> take(const std::string& folder,
                                                const std::vector<std::string>& children);
    // The time of the next list, and its folder.
    [[nodiscard]] std::optional<time_point> due() const noexcept { return due_; }
    [[nodiscard]] std::string folder_due() const;
    // A list of `folder`, sent at `sent`, was answered.
    void looked(const std::string& folder, time_point sent);

    [[nodiscard]] bool empty() const noexcept { return by_folder_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept;

    friend bool operator==(const abandoned_creates&, const abandoned_creates&) = default;

private:
    struct search {
        time_point since{};
        duration pause{};  // from `since` to the next search
        duration last{};   // from `since` to the last search
        [[nodiscard]] time_point next() const { return since + pause; }
        friend bool operator==(const search&, const search&) = default;
    };

    void drop_oldest();
    void find_due();

    std::map<std::string, std::map<std::string, search>> by_folder_;  // folder, then GUID
    std::optional<time_point> due_;
};

}  // namespace turnstile::core
