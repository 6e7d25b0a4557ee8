// SPDX-License-Identifier: Apache-2.0
// The last part of the way: the one ahead goes, our own znode is looked at, and the grant. What another client writes
// into our znode meanwhile is applied.
#include <algorithm>
#include <cassert>
#include <utility>

#include "core/contender/acquisition_call.hpp"
#include "core/contender/answer_class.hpp"
#include "core/contender/refusals.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/revocation.hpp"

namespace turnstile::core::state {

// ---- the hand-over --------------------------------------------------------------------------

// The only one that was ahead in a list of this connection is gone, by an event or by the answer to the look at it.
// Then no contender is ahead. In every other case the low-water mark of a long queue, or a fresh list, decides.
void queued::on_awaited_gone(acquisition_call& call, const std::string& gone,
                             std::uint64_t connection) {
    auto& c = call.session;
    const bool current = connection == c.connection();
    if (current && may_be_handed_over(connection)) {
        low_water.forget_version();  // the one ahead may have raised the mark
        return be_first(call);
    }
    const auto nearest = contender_sequence(gone);
    const bool asks = current && listed_on == connection && is_ordered() && nearest &&
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
    return listed_on == connection && is_ordered() && ahead == 1U;  // place: may_be_handed_over
}

void queued::on_low_water(acquisition_call& call, const reply& answer) {
    const auto outcome = low_water.on_answer(answer, family(kind), contender_sequence(name));
    const bool current =
        listed_on == answer.connection && answer.connection == call.session.connection();
    if (std::holds_alternative<done>(outcome) && current) return be_first(call);
    listed_on = 0;
    apply(call, answer, outcome);
}

void queued::be_first(acquisition_call& call) {
    first = true;
    handed_over = true;
    ahead = 0;
    advance_grant(call);
}

// ---- the grant ------------------------------------------------------------------------------

// Success is told only while the lease says that the hold is certain (F28). Otherwise the session sends a
// confirmation, and we are asked again. A grant waits for a look at our own znode that is under way. If the last one
// was too long ago, only a watch will do: where answers are slow, another look would be too old again.
void queued::advance_grant(acquisition_call& call) {
    assert(first);
    auto& c = call.session;
    if (call.settings.lock_delay > duration{} && !delay->is_marked()) return advance_delay(call);
    if (!c.lease_valid()) return;  // place: lease_is_certain
    if (own.asks()) return;
    if (own.is_fresh(c)) return grant(call);
    if (!call.facts.awaits_retry) watch_own(call);
}

void queued::advance_delay(acquisition_call& call) {
    assert(first);
    assert(!delay->is_marked());
    if (!call.may_ask() || delay->asks()) return;
    if (!delay->waits()) return delay.change().advance(call.session, own_mark(call));
    if (call.settings.mode == attempt::once)
        fail(call,
             {errc::busy, call.folder() + ": the lock delay of a holder that crashed is not over"});
}

void queued::grant(acquisition_call& call) {
    assert(first);
    assert(!rename->is_wanted());
    assert(awaited.empty());
    auto& c = call.session;
    // Contenders of a read-write lock are not granted in the order in which they came: the later one's list
    // shows a later change of the folder, since the contender that excluded it has gone from there. Where the
    // counter sticks at its end, a create no longer counts as a change.
    const bool sorted_by_list = family(kind) == contender_family::read_write;
    // place: number_of_a_token
    const auto zxid = sorted_by_list ? std::max(pzxid, czxid) : czxid;
    const fencing_token token{static_cast<std::uint64_t>(zxid)};  // place: token_of_a_grant
    c.tell(granted{token, path(call)});
    if (*order) c.tell(**order);
    // Nothing has shown that our znode stands. If a client has deleted it, that is told one round trip later.
    // place: looks_after_hand_over
    if (handed_over && !own.is_watched_on(c.connection())) own.look(c, path(call));
    call.enter(held{std::move(*this), token});
}

// ---- our own znode --------------------------------------------------------------------------

void queued::on_own_answer(acquisition_call& call, const reply& answer) {
    auto& c = call.session;
    // Lost with an earlier connection, and told after the attach, which therefore asked for no other one.
    const bool lost_watch = own.expects_watch(answer.id) && answer.outcome != outcome::answered &&
                            answer.connection < c.connection();
    apply_own(call, answer);
    if (lost_watch) watch_own(call);
    switch (classify(answer)) {
        case answer_class::ok:
            handed_over = false;  // it stands, and after the one ahead went
            return apply_data(call, answer);
        case answer_class::gone: return lose_znode(call);
        case answer_class::forbidden:
            return fail(call, {errc::no_permission, "no permission to read " + path(call)});
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: return call.suspend(answer);
    }
}

void queued::apply_data(acquisition_call& call, const reply& answer) {
    if (answer.stat.version == version) return;
    const auto found = parse_revocation(answer.data);
    if (found && found->manner == revocation::how::take)
        return fail(call, taken_away(call.folder(), *found));
    version = answer.stat.version;
    if (found) order.change() = asked_to_release{found->by, found->why};
}

void queued::on_renamed(acquisition_call& call, const reply& answer) {
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
        listed_on = 0;  // another list tells what is in the way of the new place
    }
    apply(call, answer, outcome);
}

}  // namespace turnstile::core::state
