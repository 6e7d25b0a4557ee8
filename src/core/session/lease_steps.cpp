// SPDX-License-Identifier: Apache-2.0
#include "core/session/lease_steps.hpp"

#include <string>

#include "base/check.hpp"
#include "core/session/contender_steps.hpp"
#include "core/session/due_times.hpp"
#include "core/session/link_steps.hpp"
#include "core/session/placement_steps.hpp"
#include "core/session/session_errors.hpp"

namespace turnstile::core {

void lease_steps::end_if_over() {
    if (!due::has_come(due::lease_end(life_), life_)) return;
    TURNSTILE_CHECK(!life_.closing);
    TURNSTILE_CHECK(!life_.lease.valid(life_.now) || life_.contenders.holding().empty());
    std::string text = "its lease ran out before it was confirmed";
    if (life_.attached() && !life_.lease.can_be_kept()) {
        text += ": " + short_lease(life_);
        placement_steps{life_}.warn_if_short();
    }
    const error why{errc::session_lost, text};
    link_steps{life_}.enter(session_state::lost, why.message());
    contender_steps{life_}.with_some(
        id_set{life_.contenders.holding()},
        [&why](acquisition& hold, contender_session& c) { hold.on_lease_end(c, why); });
}

void lease_steps::replace_if_broken() {
    if (!due::has_come(due::broken(life_), life_)) return;
    TURNSTILE_CHECK(life_.attached());
    link_steps{life_}.end_epoch(
        {errc::session_lost, "no answer came in time to prove that it lives; a new one is opened"},
        close_session::how::orderly);
}

void lease_steps::abandon_if_refused() {
    if (!due::has_come(due::given_up(life_), life_)) return;
    TURNSTILE_CHECK(!life_.attached());
    TURNSTILE_CHECK(!life_.lease.valid(life_.now));
    link_steps{life_}.end_epoch(
        {errc::session_lost, "no server accepted it again; a new one is opened"},
        close_session::how::abandon);
}

// The contender is first, and all behind it wait: it has to go, and its caller has to hear why.
void lease_steps::fail_hopeless() {
    if (!due::has_come(due::hopeless(life_), life_)) return;
    placement_steps{life_}.warn_if_short();
    const error why{errc::lease_too_short, short_lease(life_)};
    contender_steps{life_}.with_some(
        id_set{life_.contenders.awaiting_lease()},
        [&why](acquisition& waiter, contender_session& c) { waiter.leave(c, why); });
}

}  // namespace turnstile::core
