// SPDX-License-Identifier: Apache-2.0
// routes: the recipients of the servers' replies inside a session.
//
// Thread safety: none, values.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "core/contender/notice.hpp"
#include "core/session/creation_batch.hpp"
#include "core/session/removal_queue.hpp"
#include "core/session/shared_lists.hpp"

namespace turnstile::core {

struct for_contender {
    contender_id id{};
    friend bool operator==(const for_contender&, const for_contender&) = default;
};
struct for_inquiry {
    inquiry_id id{};
    friend bool operator==(const for_inquiry&, const for_inquiry&) = default;
};
struct for_confirmation {  // checks this contender's znode
    contender_id id{};
    std::string znode;
    friend bool operator==(const for_confirmation&, const for_confirmation&) = default;
};
struct for_search {  // searches for znodes of creates without an answer
    std::string folder;
    friend bool operator==(const for_search&, const for_search&) = default;
};
struct for_commits {  // for the commits of this hold
    contender_id hold{};
    friend bool operator==(const for_commits&, const for_commits&) = default;
};
struct for_sharers {  // for contenders that share the list of a folder's children
    std::string folder;
    std::vector<list_sharer> sharers;
    friend bool operator==(const for_sharers&, const for_sharers&) = default;
};
struct for_creations {
    std::vector<creation> creations;
    bool again = false;  // true: the servers have refused another create of this transaction before
    friend bool operator==(const for_creations&, const for_creations&) = default;
};
struct for_removals {
    std::vector<removal> removals;
    friend bool operator==(const for_removals&, const for_removals&) = default;
};
struct for_folder_watch {  // sets a watch for sole_contender_memory
    std::string folder;
    friend bool operator==(const for_folder_watch&, const for_folder_watch&) = default;
};
struct for_keep_alive {
    friend bool operator==(const for_keep_alive&, const for_keep_alive&) = default;
};
using addressee =
    std::variant<for_contender, for_inquiry, for_confirmation, for_search, for_commits, for_sharers,
                 for_creations, for_removals, for_folder_watch, for_keep_alive>;

// Returns the number of contenders' requests that this request carries, for the request window (request_window.hpp).
// Returns zero for a request that the window does not limit.
[[nodiscard]] inline std::size_t window_room(const addressee& recipient) noexcept {
    if (const auto* const together = std::get_if<for_creations>(&recipient))
        return together->creations.size();
    const bool is_single = std::holds_alternative<for_contender>(recipient) ||
                           std::holds_alternative<for_sharers>(recipient);
    return is_single ? 1 : 0;
}

struct reply_route {
    addressee recipient;
    bool write = false;  // true: the answer proves that the session lives
    friend bool operator==(const reply_route&, const reply_route&) = default;
};

}  // namespace turnstile::core
