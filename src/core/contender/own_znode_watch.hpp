// SPDX-License-Identifier: Apache-2.0
// own_znode_watch: the watch on a contender's own znode, and since when nothing in it is unknown.
//
// Other programs order a contender to go by a write into its znode (revocation.hpp), and people delete it. A watch
// tells of both; a look without one tells of what was there when it was sent. What was seen too long ago, without a
// watch, is not enough to be granted.
//
// A value. Thread safety: none.
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
    // Of a znode that was not there yet at `asked_at`, when its create was sent.
    explicit own_znode_watch(time_point asked_at) : seen_at_{asked_at} {}

    // Nothing is in the znode that we do not know, or it was written too short a time ago to matter.
    [[nodiscard]] bool is_fresh(const contender_session& c) const {
        // place: own_znode_is_seen
        return watched_on_ == c.connection() || c.now() < seen_at_ + c.unseen_for();
    }
    [[nodiscard]] bool is_watched_on(std::uint64_t connection) const noexcept {
        return watched_on_ == connection;
    }
    [[nodiscard]] bool sets_watch() const noexcept { return static_cast<bool>(watching_); }
    // A watch or a look is under way.
    [[nodiscard]] bool asks() const noexcept { return watching_ || looking_; }
    [[nodiscard]] bool expects(ticket id) const noexcept {
        return watching_.is(id) || looking_.is(id);
    }
    [[nodiscard]] bool expects_watch(ticket id) const noexcept { return watching_.is(id); }

    // Sets the watch, unless it is set on this connection or about to be.
    void watch(contender_session& c, const std::string& path);
    // Asks once, without a watch, unless something is asked already.
    void look(contender_session& c, const std::string& path);
    // The watch has fired; whether it did for the last time.
    [[nodiscard]] bool on_event(watch_kind kind) noexcept;
    // A check has shown that the znode was written to: the watch has to be set again.
    void was_changed() noexcept { watched_on_ = 0; }
    // Whether the session may forget its interest: the znode was gone, and the watch never set.
    [[nodiscard]] bool on_answer(const reply& answer);
    // Whether there is an interest that the session is to give back.
    [[nodiscard]] bool give_back() noexcept;

    friend bool operator==(const own_znode_watch&, const own_znode_watch&) = default;

private:
    pending_ticket watching_;
    pending_ticket looking_;        // without a watch
    std::uint64_t watched_on_ = 0;  // the connection; 0: not watched
    time_point seen_at_{};          // nothing was written into the znode before that we do not know
    bool interest_ = false;
};

}  // namespace turnstile::core
