// SPDX-License-Identifier: Apache-2.0
// session_requests: sends the requests of a session, alone, shared or in batches, and sends them again after a failure.
// Stores the recipient of each reply, and for how long the connection has not answered.
//
//     shared_lists   requests for a folder's children that several contenders share
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"
#include "core/session/batches.hpp"
#include "core/session/connection_failures.hpp"
#include "core/session/request_window.hpp"
#include "core/session/session_basics.hpp"
#include "core/session/session_core_settings.hpp"

namespace turnstile::core {

struct list_sharer {
    contender_id contender{};
    ticket id{};  // the ticket by which the contender expects its answer
    friend bool operator==(const list_sharer&, const list_sharer&) = default;
};

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

// ---- the recipients of the servers' replies inside a session ------------------------------------

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

class session_requests {
public:
    using answered_request = std::map<ticket, reply_route>::node_type;

    explicit session_requests(const session_core_settings& settings);

    // ---- sessions at the servers (epochs), and their connections ----
    void open() { epoch_ = new_epoch_; }
    void leave() noexcept;
    // `retry_after`: the time after which a failed request is sent again.
    void attach(std::uint64_t connection, duration retry_after, session_basics& basics);
    void begin_again();
    void detach() noexcept { connection_.reset(); }
    [[nodiscard]] bool attached() const noexcept { return connection_.has_value(); }

    // ---- single requests ----
    ticket send(operation&& op, addressee&& recipient, session_basics& basics);
    void send_as(ticket id, operation&& op, addressee&& recipient, session_basics& basics);
    [[nodiscard]] bool is_under_way(ticket id) const { return epoch_->pending.contains(id); }
    [[nodiscard]] bool has_room() const noexcept {
        return epoch_ && epoch_->window.has_room(epoch_->creations.size());
    }
    // Returns true if another contender may send requests now: few enough requests are in progress
    // (request_window.hpp). Otherwise returns false, and notes that a contender waits.
    [[nodiscard]] bool wants_room();
    // Removes and returns the request that this reply answers; nothing if the request was sent in an earlier session.
    [[nodiscard]] answered_request answered(const reply& answer, duration timeout, time_point now);

    // ---- lists for several contenders (shared_lists) --------
    void list_for(const list_sharer& sharer, std::string&& folder, session_basics& basics);
    // `request` was a request for the folder's children. Sends it again for the contenders that asked for the children
    // after `request` was sent. If there is no connection, returns these contenders instead.
    [[nodiscard]] std::vector<list_sharer> list_again(const std::string& folder, ticket request,
                                                      session_basics& basics);

    // ---- creates in one transaction (batches.hpp) ----
    [[nodiscard]] const creation_batch& creations() const noexcept { return epoch_->creations; }
    void gather_creations() noexcept { epoch_->creations.begin(); }
    void create_later(creation&& wanted) { epoch_->creations.add(std::move(wanted)); }
    void send_creations(session_basics& basics);
    void create_alone(const creation& created, session_basics& basics);
    // Sends the creates `rest` again: the servers refused their transaction because of another create in it.
    void create_again(std::vector<creation>&& rest, session_basics& basics);

    // ---- times; each function returns nothing if another event must come first ----
    // Send time of the latest request. If no other request follows, a keep-alive (a read that keeps the session alive)
    // is due some time later. There must be a connection.
    [[nodiscard]] time_point last_sent() const noexcept { return connection_->last_sent; }
    void send_keep_alive(session_basics& basics) { send(exists_op{"/"}, for_keep_alive{}, basics); }
    [[nodiscard]] std::optional<time_point> retry_due() const;
    [[nodiscard]] std::optional<time_point> silence_due(duration timeout) const;

    // ---- retries ----
    void retry_later(time_point now);
    // Calls retry_later() if the answer is of the latest connection. The requests of an earlier connection were sent
    // again when the latest connection began.
    void retry_here(const reply& answer, time_point now);
    void on_throttled(std::uint64_t connection, const std::string& server, session_basics& basics);
    [[nodiscard]] bool is_throttled() const noexcept {
        return connection_ && connection_->retry.is_throttled();
    }
    // Returns true if failed requests must be sent again now. Then the caller sends all of them again.
    [[nodiscard]] bool retries_now(time_point now);

    // ---- a connection that does not answer (silence_watch) ------------
    [[nodiscard]] duration silence_limit(duration timeout) const { return silence_.limit(timeout); }
    void look_elsewhere(session_basics& basics, bool may_move);
    // Called when look_elsewhere() has found another server. Returns true if the session may move there.
    [[nodiscard]] bool may_leave_server(time_point now, duration timeout);
    void leave_server(session_basics& basics);

    friend bool operator==(const session_requests&, const session_requests&) = default;

private:
    struct in_epoch {
        std::uint64_t latest_connection = 0;  // number of the latest connection, even after its end
        std::map<ticket, reply_route> pending;
        request_window window;
        shared_lists lists;
        creation_batch creations;
        bool throttling_told = false;
        friend bool operator==(const in_epoch&, const in_epoch&) = default;
    };
    struct at_server {
        time_point last_sent{};  // send time of the latest request
        duration retry_after{};
        core::retry retry;  // for requests that failed
        friend bool operator==(const at_server&, const at_server&) = default;
    };

    void send_list(ticket id, std::string folder, std::vector<list_sharer>&& sharers,
                   session_basics& basics);
    void create_together(for_creations&& all, session_basics& basics);

    in_epoch new_epoch_;     // open() copies it
    core::retry new_retry_;  // attach() copies it
    std::optional<in_epoch> epoch_;
    std::optional<at_server> connection_;
    silence_watch silence_;
};

}  // namespace turnstile::core
