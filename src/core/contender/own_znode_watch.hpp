// SPDX-License-Identifier: Apache-2.0
// own_znode_watch: the watch on a contender's own znode, and the instant up to which the znode's content is known.
//
// Another program may write an order to leave into the znode (revocation.hpp), and a person may delete the znode. A
// watch reports both the write and the deletion. A get without a watch shows only the content at the time of the
// request. So before a grant without a watch, the latest get must be recent.
//
// Thread safety: none, a value.
#pragma once

#include <cstdint>
#include <string>

#include "core/contender/contender_session.hpp"
#include "core/seam/pending_ticket.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

class own_znode_watch {
public:
    own_znode_watch() = default;
    // Makes the watch of a new znode. `asked_at`: the send time of the request that created the znode. No client can
    // have written into this znode before that time.
    explicit own_znode_watch(time_point asked_at) : seen_at_{asked_at} {}

    // True if the contender knows of every write of another client into the znode, except a write so recent that it
    // does not matter for a grant.
    [[nodiscard]] bool is_fresh(const contender_session& c) const {
        // place: own_znode_is_seen
        return watched_on_ == c.connection() || c.now() < seen_at_ + c.unseen_for();
    }
    [[nodiscard]] bool is_watched_on(std::uint64_t connection) const noexcept {
        return watched_on_ == connection;
    }
    [[nodiscard]] bool sets_watch() const noexcept { return static_cast<bool>(watching_); }
    [[nodiscard]] bool asks() const noexcept { return watching_ || looking_; }
    [[nodiscard]] bool expects(ticket id) const noexcept {
        return watching_.is(id) || looking_.is(id);
    }
    [[nodiscard]] bool expects_watch(ticket id) const noexcept { return watching_.is(id); }

    // Sets the watch, unless it is set on this connection or its request is in progress.
    void watch(contender_session& c, const std::string& path);
    // Reads the znode (get) without setting a watch, unless a request is in progress.
    void look(contender_session& c, const std::string& path);
    // Handles the watch event. Returns true if the watch cannot fire again, since the znode is gone.
    [[nodiscard]] bool on_event(watch_kind kind) noexcept;
    // Called when a request that checked the znode's version has shown another client's write. The watch must be set
    // again.
    void was_changed() noexcept { watched_on_ = 0; }
    // Handles the answer to a request of this object. Returns true if the request should have set the watch, but the
    // znode was gone. Then the caller must unregister the watch at the session.
    [[nodiscard]] bool on_answer(const reply& answer);
    // Forgets the watch. Returns true if the session still has the watch registered; then the caller must unregister
    // the watch at the session.
    [[nodiscard]] bool give_back() noexcept;

    friend bool operator==(const own_znode_watch&, const own_znode_watch&) = default;

private:
    pending_ticket watching_;
    pending_ticket looking_;        // a read that sets no watch
    std::uint64_t watched_on_ = 0;  // number of the connection with the watch; 0: not watched
    time_point seen_at_{};          // the instant before which every write is known
    bool interest_ = false;
};

}  // namespace turnstile::core
