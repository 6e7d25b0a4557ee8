// SPDX-License-Identifier: Apache-2.0
// contenders_watch: reports once to a hold that other contenders queue behind it (the *report*). A retained lock, which
// a process keeps between the holds of its threads, needs this report.
//
// A request for the folder's children (list) sets the watch, once after the grant and again on each new connection. If
// the answer shows no contender behind, the next event is reported as an arrival. A child that is no contender may
// cause that event: the holder then gives the lock up without need, which is safe. The watch reports only once, since
// the holder gives the lock up after the report.
//
// The removal of the holder's own znode fires the watch. So a holder that has removed its znode need not drop the watch
// at the servers. If another client has removed the znode, the request may have set the watch after that removal. Then
// the holder must drop the watch.
//
// Thread safety: none, a value.
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
    // True if the watch is set, and its event will cause the report that contenders queue behind the hold.
    [[nodiscard]] bool rests_on_event() const noexcept { return watched_on_ != 0 && !reported_; }
    // True if contenders behind the hold were reported already, or if a request or a watch on this connection will
    // report them.
    [[nodiscard]] bool needs_no_list(std::uint64_t connection) const noexcept {
        // place: looks_behind_once
        return reported_ || listing_ || watched_on_ == connection;
    }
    [[nodiscard]] bool expects(ticket id) const noexcept { return listing_.is(id); }

    void list(contender_session& c, const std::string& folder);
    // Requires a new request for the folder's children. Its answer shows what a lost event would have reported.
    void look_again() noexcept { watched_on_ = 0; }
    // Returns `done` if contenders queue behind `own`, or if the hold cannot notice arrivals.
    consequence on_answer(const std::string& own, contender_family of, const reply& answer);
    // Notes that the hold gets the report that contenders queue behind it. Returns true only at the first call.
    [[nodiscard]] bool take_report() noexcept;
    void give_back(contender_session& c, const std::string& folder, removed_by remover);

    friend bool operator==(const contenders_watch&, const contenders_watch&) = default;

private:
    pending_ticket listing_;
    std::uint64_t watched_on_ = 0;  // number of the connection with the watch; 0: no watch
    bool interest_ = false;         // registered at the session for events of the folder
    bool reported_ = false;
};

}  // namespace turnstile::core
