// SPDX-License-Identifier: Apache-2.0
// shared_lists: requests for a folder's children (*lists*), which contenders of a session share. While one list is in
// progress, further contenders wait for the next list, and share it: the first list may not show their new znodes.
//
// Each sharer has a ticket, and gets an answer with that ticket. A contender does not wait for a list that was sent on
// an earlier connection, because the answer to that list may come late.
//
//     if (lists.is_under_way(folder, connection)) return lists.join(folder, sharer);
//     lists.sent(folder, connection, send(list of folder));
//     ...
//     next = lists.answered(folder, request);  // send the next list for these, or drop(folder)
//
// Thread safety: none, a value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

struct list_sharer {
    contender_id contender{};
    ticket id{};  // the ticket by which the contender expects its answer
    friend bool operator==(const list_sharer&, const list_sharer&) = default;
};

class shared_lists {
public:
    [[nodiscard]] bool is_under_way(const std::string& folder, std::uint64_t connection) const;
    // A request for the folder's children (list) must be in progress. Lets the contender share the next list, which is
    // sent after the answer.
    void join(const std::string& folder, const list_sharer& sharer);
    void sent(const std::string& folder, std::uint64_t connection, ticket request);
    // Returns the contenders that joined after `request`, a request for the folder's children, was sent. These
    // contenders need another request. If the result is not empty, the folder's entry stays until sent() or drop() is
    // called.
    [[nodiscard]] std::vector<list_sharer> answered(const std::string& folder, ticket request);
    void drop(const std::string& folder) { by_folder_.erase(folder); }

    friend bool operator==(const shared_lists&, const shared_lists&) = default;

private:
    struct shared_list {
        ticket request{};
        std::uint64_t connection = 0;
        std::vector<list_sharer> next;
        friend bool operator==(const shared_list&, const shared_list&) = default;
    };
    std::map<std::string, shared_list> by_folder_;
};

}  // namespace turnstile::core
