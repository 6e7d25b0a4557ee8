// SPDX-License-Identifier: Apache-2.0
// contenders_watch: tells a hold that others queue behind it: one kept for its process wants to know that.
//
// A list of the folder with a watch, asked for once after the grant and once more on each new connection. If it
// shows no contender behind, the next event is taken for an arrival: only the holder's own znode was there, and a child
// that is no contender makes the holder give way in vain, which is safe. Announced once: the holder gives way.
//
// The holder's own removal fires the watch, which is not given back then. Where another client has removed the znode,
// the list may have come after that: the watch is given back.
//
// A value. Thread safety: none.
#pragma once

#include <cstdint>
#include <string>

#include "core/contender/consequence.hpp"
#include "core/contender/contender_session.hpp"
#include "core/queue/contender_name.hpp"
#include "core/seam/pending_ticket.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

class contenders_watch {
public:
    enum class removed_by { us, others };

    [[nodiscard]] bool is_watched_on(std::uint64_t connection) const noexcept {
        return watched_on_ == connection;
    }
    // Goes on with the event of its watch only.
    [[nodiscard]] bool rests_on_event() const noexcept { return watched_on_ != 0 && !announced_; }
    // Announced, or about to hear it on this connection.
    [[nodiscard]] bool needs_no_list(std::uint64_t connection) const noexcept {
        // place: looks_behind_once
        return announced_ || listing_ || watched_on_ == connection;
    }
    [[nodiscard]] bool expects(ticket id) const noexcept { return listing_.is(id); }

    void list(contender_session& c, const std::string& folder);
    // An event that comes before the next list is in that list.
    void look_again() noexcept { watched_on_ = 0; }
    // `done`: others queue behind `own`, or no contender can be seen to come.
    consequence on_answer(const std::string& own, contender_family of, const reply& answer);
    // Whether it is the first time.
    [[nodiscard]] bool announce() noexcept;
    void give_back(contender_session& c, const std::string& folder, removed_by remover);

    friend bool operator==(const contenders_watch&, const contenders_watch&) = default;

private:
    pending_ticket listing_;
    std::uint64_t watched_on_ = 0;  // the connection; 0: not watched
    bool interest_ = false;         // in the folder
    bool announced_ = false;
};

}  // namespace turnstile::core
