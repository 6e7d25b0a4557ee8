// SPDX-License-Identifier: Apache-2.0
// Handles changes of a contender's position for which the client need not list the folder. Either the contender ahead
// ends, or an upgrade renames its znode to the other of its two positions (queue_rule.hpp).
#include <utility>

#include "base/check.hpp"
#include "core/contender/contender_call.hpp"
#include "core/contender/contender_errors.hpp"
#include "core/queue/contender_name.hpp"

namespace turnstile::core::state {

// ---- the contender ahead ends ----------------------------------------------------------------

// Called when the contender `gone`, which was ahead, has ended. An event or the answer to a read has shown its end. If
// a list of the children on this connection showed no other contender ahead, this contender is first now. Otherwise
// this contender must read whether it is first: in a long queue from the folder's data (znode_texts.hpp), else from
// a list of the children.
void queued::on_awaited_gone(contender_call& call, const std::string& gone,
                             std::uint64_t connection) {
    TURNSTILE_CHECK(connection != 0);
    auto& c = call.session;
    const bool current = connection == c.connection();
    if (current && may_be_handed_over(connection)) {
        low_water.forget_version();  // the contender ahead may have changed the folder's data
        return call.enter(first{std::move(*this)});
    }
    const auto nearest = contender_sequence(gone);
    const bool asks = current && is_listed_on(connection) && is_ordered() && nearest &&
                      low_water.is_long(call.settings.long_queue);
    if (!asks) {
        listed_on = 0;
        return;
    }
    low_water.read(c, call.folder(), *nearest);
    // place: looks_beside_low_water_mark
    if (!own.is_watched_on(c.connection())) own.look(c, path(call));
}

bool queued::may_be_handed_over(std::uint64_t connection) const {
    return is_listed_on(connection) && is_ordered() && ahead == 1U;  // place: may_be_handed_over
}

void queued::on_low_water(contender_call& call, const reply& answer) {
    TURNSTILE_CHECK(!listing);
    const auto outcome = low_water.on_answer(answer, family(kind), contender_sequence(name));
    const bool current =
        is_listed_on(answer.connection) && answer.connection == call.session.connection();
    if (std::holds_alternative<done>(outcome) && current)
        return call.enter(first{std::move(*this)});
    listed_on = 0;
    apply(call, answer, outcome);
}

// ---- an upgrade moves to its other position --------------------------------------------------

// An upgrade's znode has two possible positions in the queue (queue_rule.hpp). Renames the znode to the other position,
// before the grant.
void queued::change_places(contender_call& call, const decision& judged) {
    TURNSTILE_CHECK(!rename->is_wanted());
    TURNSTILE_CHECK(call.settings.wants.kind == claim_kind::upgrade);
    if (judged.ahead > 0 && call.settings.mode == attempt::once)
        return wait_for(call, judged);  // fails with `busy`
    // If the folder's counter of creates has reached its maximum, later contenders have the same number as this
    // upgrade. A move back creates the upgrade's znode again, and would put the upgrade behind those contenders.
    const auto parsed = parse_contender(name).value_or(contender_name{});
    if (judged.ahead > 0 && at_counter_end(numbers_of(parsed).came_with))
        return fail(call, no_more_upgrades(call.folder()));
    awaited.give_back(call.session, call.folder());
    rename.change() = renaming{upgrade_in_other_place(name)};
    call.step();
}

void queued::on_renamed(contender_call& call, const reply& answer) {
    TURNSTILE_CHECK(rename->is_wanted());
    const auto outcome = rename.change().on_answer(call.session, before_rename(call), answer);
    if (std::holds_alternative<own_znode_changed>(outcome)) {
        own.was_changed();
        return watch_own(call);
    }
    if (std::holds_alternative<done>(outcome)) take_new_name(call);
    const bool ends = std::holds_alternative<done>(outcome) ||
                      std::holds_alternative<refused>(outcome) ||
                      std::holds_alternative<own_znode_gone>(outcome);
    if (ends) {
        rename.reset();
        // place: new_place_is_listed
        listed_on = 0;  // list the folder again, to see what blocks the new position
    }
    apply(call, answer, outcome);
}

}  // namespace turnstile::core::state
