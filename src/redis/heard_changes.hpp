// SPDX-License-Identifier: Apache-2.0
// heard_changes: the changes of the server's tree that a session knows, and the session's watches.
//
// Thread safety: none. Only the thread that has the turn to read uses the object (session_threads.hpp).
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

    // Returns the arguments that describe this session, for the attach script (lua/attach.lua).
    [[nodiscard]] script_call attach_call() const;
    // Records the answer to an attach: `zxid` and the tree's history at the server. `sent`: when the attach request was
    // sent. `is_new`: this attach has opened the session.
    void attached(std::int64_t zxid, std::string_view history, core::time_point sent, bool is_new);
    // Call this after each attach, with the zxid of the attach. If the reply to a change was lost with the earlier
    // connection, the client next reads whether the server executed the change, and relies on the result. In this case
    // the function records that the client knows all changes up to `zxid`.
    void resolve_lost_change(std::int64_t zxid);
    // Call this when the connection has ended. `left`: the requests that have no reply. Records whether one of them may
    // have changed a znode.
    void detached(const std::deque<pending_request>& left);

    // on_head() returns the events that came with a reply, and on_bell() the event that came in a message of the
    // server. They drop an event if the user has already removed the watch for the event.
    [[nodiscard]] std::vector<core::watch_event> on_head(answer_head&& head);
    [[nodiscard]] std::vector<core::watch_event> on_bell(std::int64_t zxid,
                                                         core::watch_event&& event);
    // True if a reply with this zxid or a later zxid has arrived. That reply has brought all events up to `zxid`.
    [[nodiscard]] bool has_seen(std::int64_t zxid) const noexcept { return zxid <= seen_zxid_; }

    // Records that the server has executed the request. `reply` and `listing`: the replies for the user.
    void on_answer(const pending_request& asked, const std::optional<core::reply>& reply,
                   const std::optional<core::reply>& listing, std::int64_t zxid);
    // The send time of the latest answered request on this connection.
    [[nodiscard]] core::time_point answered_sent() const noexcept { return answered_sent_; }
    // Call this after a list of a folder's children, with the zxid of the folder's last change. If the list lacks the
    // znode of an earlier waiter, the client relies on the removal of that znode, even if no event has reported it.
    void on_list(std::int64_t zxid) noexcept { changed_at(zxid); }

    void forget_watches(const std::string& path) { watches_.forget_watches(path); }
    // Call this when a busy server has refused a request that the session sent for itself, and not for its user. The
    // session repeats the request after a pause.
    void on_busy(const pending_request& asked);
    // is_removal_due() returns true if the session must now ask the server to remove watches. take_owed() returns the
    // paths of these watches.
    [[nodiscard]] bool is_removal_due(core::time_point now) const noexcept;
    [[nodiscard]] std::vector<std::string> take_owed(const std::set<std::string>& awaited);
    // Returns true if a session whose znodes this session watches may have expired.
    [[nodiscard]] bool take_expiry(core::time_point now);
    // The next time at which is_removal_due() or take_expiry() may return true.
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
    core::time_point remove_at_{};  // when to remove watches that a busy server has kept
};

}  // namespace turnstile::redis
