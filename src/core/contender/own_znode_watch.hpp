// SPDX-License-Identifier: Apache-2.0
// own_znode_watch: the watch on a contender's own znode, and the instant up to which its content is known.
//
// Other programs order a contender to leave by a write into its znode (revocation.hpp), and people delete the znode. A
// watch reports both. A get without a watch shows the content at the time of the request. For a grant without a watch,
// the latest get must not be too old.
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
    // For a znode that did not exist yet at `asked_at`, when its create was sent.
    explicit own_znode_watch(time_point asked_at) : seen_at_{asked_at} {}

    // True if we know the znode's content, or if any unknown write is too recent to matter.
    [[nodiscard]] bool is_fresh(const contender_session& c) const {
        // place: own_znode_is_seen
        return watched_on_ == c.connection() || c.now() < seen_at_ + c.unseen_for();
    }
    [[nodiscard]] bool is_watched_on(std::uint64_t connection) const noexcept {
        return watched_on_ == connection;
    }
    [[nodiscard]] bool sets_watch() const noexcept { return static_cast<bool>(watching_); }
    // True if a watch or a get is in progress.
    [[nodiscard]] bool asks() const noexcept { return watching_ || looking_; }
    [[nodiscard]] bool expects(ticket id) const noexcept {
        return watching_.is(id) || looking_.is(id);
    }
    [[nodiscard]] bool expects_watch(ticket id) const noexcept { return watching_.is(id); }

    // Sets the watch, unless it is set on this connection or about to be.
    void watch(contender_session& c, const std::string& path);
    // Sends one get without a watch, unless a request is in progress.
    void look(contender_session& c, const std::string& path);
    // The watch has fired. Returns true if it cannot fire again.
    [[nodiscard]] bool on_event(watch_kind kind) noexcept;
    // A check has shown a write into the znode: the watch must be set again.
    void was_changed() noexcept { watched_on_ = 0; }
    // Returns true if the session may drop its interest: the znode was gone, and the watch was never set.
    [[nodiscard]] bool on_answer(const reply& answer);
    // Returns true if there is an interest that the session must give back.
    [[nodiscard]] bool give_back() noexcept;

    friend bool operator==(const own_znode_watch&, const own_znode_watch&) = default;

private:
    pending_ticket watching_;
    pending_ticket looking_;        // a get without a watch
    std::uint64_t watched_on_ = 0;  // the connection; 0: not watched
    time_point seen_at_{};          // we know every write before this instant
    bool interest_ = false;
};

}  // namespace turnstile::core
