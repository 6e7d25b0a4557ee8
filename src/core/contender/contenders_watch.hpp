// SPDX-License-Identifier: Apache-2.0
// contenders_watch: reports to a hold that others queue behind it. A hold that a process retains needs this report.
//
// The watch is set by a list of the folder, requested once after the grant and again on each new connection. If the
// list shows no contender behind, the next event counts as an arrival. Only the holder's own znode was there; a child
// that is no contender makes the holder give way needlessly, which is safe. The report comes once, since the holder
// gives way then.
//
// The holder's own removal fires the watch, so it is not given back then. If another client has removed the znode, the
// list may have come after the removal, and the watch is given back.
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
    // True if only the event of the watch makes it continue.
    [[nodiscard]] bool rests_on_event() const noexcept { return watched_on_ != 0 && !announced_; }
    // True if the report was made, or will come on this connection.
    [[nodiscard]] bool needs_no_list(std::uint64_t connection) const noexcept {
        // place: looks_behind_once
        return announced_ || listing_ || watched_on_ == connection;
    }
    [[nodiscard]] bool expects(ticket id) const noexcept { return listing_.is(id); }

    void list(contender_session& c, const std::string& folder);
    // The next list shows what an event before it would have reported.
    void look_again() noexcept { watched_on_ = 0; }
    // Returns `done` if others queue behind `own`, or if no arrival can be seen.
    consequence on_answer(const std::string& own, contender_family of, const reply& answer);
    // True the first time.
    [[nodiscard]] bool announce() noexcept;
    void give_back(contender_session& c, const std::string& folder, removed_by remover);

    friend bool operator==(const contenders_watch&, const contenders_watch&) = default;

private:
    pending_ticket listing_;
    std::uint64_t watched_on_ = 0;  // the connection; 0: no watch
    bool interest_ = false;         // in the folder
    bool announced_ = false;
};

}  // namespace turnstile::core
