// SPDX-License-Identifier: Apache-2.0
// abandoned_creates: creates whose answer was lost, that a list did not show, and that another create
// has taken the place of. It may commit all the same, later than it should (docs/why/mutex.md,
// step 2), and would block its queue for as long as the session lives. So each is looked for again:
// its folder is listed at an eighth, a quarter, half, once and twice the session time-out after it was
// given up, and whatever list shows it meanwhile, it is handed out to be removed.
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
    // A session has fewer creates under way than this (its znodes are bounded, see owned_bytes);
    // should its connections break so often that there are more, the oldest is looked for no longer.
    static constexpr std::size_t k_most = 4096;

    void add(const std::string& folder, const std::string& guid, time_point now, duration timeout);
    // The names among the children of `folder` that come of an abandoned create. They are forgotten
    // here: a create commits once.
    [[nodiscard]] std::vector<std::string> take(const std::string& folder,
                                                const std::vector<std::string>& children);
    // When a folder is to be listed next, and which one.
    [[nodiscard]] std::optional<time_point> due() const noexcept { return due_; }
    [[nodiscard]] std::string folder_due() const;
    // A list of `folder` was asked for at `sent`, and answered.
    void looked(const std::string& folder, time_point sent);

    [[nodiscard]] bool empty() const noexcept { return by_folder_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept;

    friend bool operator==(const abandoned_creates&, const abandoned_creates&) = default;

private:
    struct search {
        time_point since{};
        duration pause{};  // from `since` to the next look
        duration last{};   // from `since` to the last look
        [[nodiscard]] time_point next() const { return since + pause; }
        friend bool operator==(const search&, const search&) = default;
    };

    void drop_oldest();
    void find_due();

    std::map<std::string, std::map<std::string, search>> by_folder_;  // then by GUID
    std::optional<time_point> due_;
};

}  // namespace turnstile::core
