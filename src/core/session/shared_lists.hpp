// SPDX-License-Identifier: Apache-2.0
// shared_lists: lists of one folder that contenders of a session share. One list is in progress; a next list follows
// for all contenders that came too late for it. A contender needs the state from its request on, for example its own
// new znode: a list that was sent before does not show it.
//
// Each sharer has a ticket and gets an answer to it, as if the list were its own. A list that was sent on an earlier
// connection is not waited for: its answer comes, but may come late.
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
    ticket id{};  // the contender's own ticket for the answer
    friend bool operator==(const list_sharer&, const list_sharer&) = default;
};

class shared_lists {
public:
    [[nodiscard]] bool is_under_way(const std::string& folder, std::uint64_t connection) const;
    // Waits for the list after the one in progress; there must be one.
    void join(const std::string& folder, const list_sharer& sharer);
    void sent(const std::string& folder, std::uint64_t connection, ticket request);
    // Returns the contenders that came too late for `request`. If there are some, the folder's entry stays until the
    // next list is sent or the folder is dropped.
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
