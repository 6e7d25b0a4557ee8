// SPDX-License-Identifier: Apache-2.0
// heard_changes: the changes of the tree that a session has learned of, and its watches for further changes.
//
// Thread safety: none. Only the thread that has the turn to read uses the object (reading_turn.hpp).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/seam/seam.hpp"
#include "local/chroot.hpp"
#include "local/client_watches.hpp"
#include "redis/pending_requests.hpp"
#include "redis/requests.hpp"

namespace turnstile::redis {

class heard_changes {
public:
    explicit heard_changes(local::chroot root) : root_{std::move(root)} {}

    // Returns the session's part of the call that attaches the session (lua/attach.lua).
    [[nodiscard]] script_call attach_call() const;
    // The server has attached the session. `sent`: the send time of the request. `is_new`: the session began with it.
    void attached(std::int64_t zxid, std::string_view history, core::time_point sent, bool is_new);
    // A change had no answer when its connection broke. The client will read the outcome of that change on the new
    // connection. So the change counts as known, with a zxid not after `zxid`, the zxid of the attach.
    void resolve_lost_change(std::int64_t zxid);
    // `left`: the requests without a reply.
    void detached(const std::deque<pending_request>& left);

    // Return the events that the user gets: the events for which a watch waits. An event without a watch belongs to a
    // watch that the user has removed.
    [[nodiscard]] std::vector<core::watch_event> on_head(answer_head&& head);
    [[nodiscard]] std::vector<core::watch_event> on_wake(std::int64_t zxid,
                                                         core::watch_event&& event);
    // True if an answer with this zxid, or a later zxid, has brought the session's events.
    [[nodiscard]] bool has_seen(std::int64_t zxid) const noexcept { return zxid <= seen_zxid_; }

    // The server has executed the request. `reply` and `listing`: for the user.
    void on_answer(const pending_request& asked, const std::optional<core::reply>& reply,
                   const std::optional<core::reply>& listing, std::int64_t zxid);
    // The send time of the latest answered request on this connection.
    [[nodiscard]] core::time_point answered_sent() const noexcept { return answered_sent_; }
    // Notes the zxid of a list, because the client relies on lists as well. If a contender is missing in a list, the
    // event of its removal may never have come.
    void on_list(std::int64_t zxid) noexcept { changed_at(zxid); }

    void forget_watches(const std::string& path) { watches_.forget_watches(path); }
    // A busy server has refused a request of the session itself. The session repeats the request after a pause.
    void on_busy(const pending_request& asked);
    // Returns the paths whose watches the server must still remove, if it is time to ask.
    [[nodiscard]] bool is_removal_due(core::time_point now) const noexcept;
    [[nodiscard]] std::vector<std::string> take_owed(const std::set<std::string>& awaited);
    // True if another session may have expired, whose znodes this session watches.
    [[nodiscard]] bool take_expiry(core::time_point now);
    // The next time at which one of the previous two functions may return true.
    [[nodiscard]] core::time_point next() const;

private:
    void changed_at(std::int64_t zxid) noexcept;
    [[nodiscard]] std::vector<core::watch_event> watched(std::vector<core::watch_event>&& events);

    const local::chroot root_;
    local::client_watches watches_;
    std::int64_t seen_zxid_ = 0;
    std::int64_t changed_zxid_ = 0;  // the zxid of the last reported create or removal
    bool has_lost_change_ = false;   // a change had no answer when the connection broke
    std::string history_;            // the tree's history at the latest attach
    core::time_point answered_sent_{};
    core::time_point come_back_ = core::time_point::max();  // when another session may expire
    core::time_point remove_at_{};  // for watches that a busy server has not removed
};

}  // namespace turnstile::redis
