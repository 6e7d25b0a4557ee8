// SPDX-License-Identifier: Apache-2.0
// abandoned_creates: creates whose answer was lost, whose znode no list has shown, and which the session has therefore
// replaced by another create.
//
// An abandoned create may still commit later (docs/why/mutex.md, step 2). Then its znode would block the queue for as
// long as the session lives. So the session searches for the znode: it lists the folder at an eighth, a quarter, half,
// once and twice the session timeout after the create was abandoned. Every other request for that folder's children
// counts as a search, too. If a list shows the znode, take() returns its name, and the session removes the znode.
//
// Thread safety: none, a pure value.
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
    // The largest number of abandoned creates. A session never has so many creates in progress, because the bytes of
    // its znodes are limited (owned_bytes). But connections may break so often that more creates than this number are
    // abandoned. Then the search for the oldest creates ends.
    static constexpr std::size_t k_most = 4096;

    void add(const std::string& folder, const std::string& guid, time_point now, duration timeout);
    // Returns the names of those children of `folder` that creates have made after their answers were lost (abandoned
    // creates). Ends the search for the znodes of these creates, because a create commits only once.
    [[nodiscard]] std::vector<std::string> take(const std::string& folder,
                                                const std::vector<std::string>& children);
    // due() returns the time of the next request (list) that searches for znodes of abandoned creates, whose answers
    // were lost. folder_due() returns the folder of that request.
    [[nodiscard]] std::optional<time_point> due() const noexcept { return due_; }
    [[nodiscard]] std::string folder_due() const;
    // Called when the servers have answered a request for the children of `folder` that the session sent at `sent`.
    void looked(const std::string& folder, time_point sent);

    [[nodiscard]] std::size_t size() const noexcept;

    friend bool operator==(const abandoned_creates&, const abandoned_creates&) = default;

private:
    struct search {
        time_point since{};
        duration pause{};  // time from `since` to the next search
        duration last{};   // time from `since` to the last search
        [[nodiscard]] time_point next() const { return since + pause; }
        friend bool operator==(const search&, const search&) = default;
    };

    void drop_oldest();
    void find_due();

    std::map<std::string, std::map<std::string, search>> by_folder_;  // by folder, then by GUID
    std::optional<time_point> due_;
};

}  // namespace turnstile::core
