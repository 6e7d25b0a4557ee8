// SPDX-License-Identifier: Apache-2.0
// The state `leaving`, the last state with a znode: the contender sends the removal of its znode again until the znode
// is gone.
#include <utility>

#include "base/check.hpp"
#include "core/contender/answers.hpp"
#include "core/contender/contender_call.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/znode_texts.hpp"

namespace turnstile::core::state {

namespace {

// Number of attempts to remove the znode while the servers refuse for a temporary reason, for example too much load.
constexpr int k_most_refused_removals = 16;

}  // namespace

// A contender that has written a crash mark (lock_delay.hpp) has no contender ahead, even if it has not listed the
// folder on this connection yet: only the first contender writes the mark.
leaving::leaving(queued&& from) : standing{std::move(from)} {
    was_first = from.ahead == 0U || delay->is_marked();
    awaited = std::move(from.awaited);
    listing = from.listing;
    if (from.beside->permits.reads()) permits.change() = from.beside->permits;
}

leaving::leaving(first&& from) : standing{std::move(from)}, was_first{true} {}

leaving::leaving(held&& from, bool holder_may_act)
    : standing{std::move(from)}, was_first{true}, was_held{true}, may_act{holder_may_act} {
    behind = std::move(from.behind);
    announcing = from.announcing;
}

// ---- data that the contender changes together with the removal of its znode ------------------

void leaving::tell_number(contender_call& call, contender_effects::number_step step) const {
    if (!was_first) return;  // place: number_of_the_first
    if (const auto number = ordered_number())
        call.session.number_known(step, family(kind), *number);
}

// A holder removes its crash mark (the znode that remains if it crashes) with its release. A lost hold leaves the mark,
// because the holder may still act.
bool leaving::takes_crash_mark() const {
    return delay->is_marked() && !may_act;  // place: takes_its_mark
}

bool leaving::raises_low_water_mark(const contender_call& call) const {
    // place: raises_low_water_mark
    return was_first && low_water.may_raise(call.settings.long_queue) && is_ordered();
}

// True if other removals may be sent in the same request: this removal changes neither a crash mark nor
// a low-water mark (znode_texts.hpp).
bool leaving::goes_with_others(const contender_call& call) const {
    return !takes_crash_mark() && !raises_low_water_mark(call);
}

operation leaving::removal(const contender_call& call) const {
    const bool raises = raises_low_water_mark(call);
    const auto& folder = call.folder();
    if (!takes_crash_mark() && !raises) return remove_op{path(call)};
    TURNSTILE_CHECK(!takes_crash_mark() || was_held || was_first);
    multi_op all;
    all.parts.emplace_back(remove_op{path(call)});
    if (takes_crash_mark()) all.parts.emplace_back(remove_op{crash_mark_path(folder)});
    if (raises) {
        const auto number = contender_sequence(name).value_or(0);  // place: raised_low_water_mark
        all.parts.emplace_back(low_water.raise(folder, family(kind), number));
    }
    return all;
}

// Called with the answer to a removal. The transaction of a removal may also remove the crash mark and raise the
// low-water mark in the folder's data (znode_texts.hpp). If the servers refused one of these two changes, returns true,
// and the next removal omits that change. The servers refuse to remove a crash mark that is missing, is protected, or
// has children. They refuse to change data that are protected, or that have changed meanwhile.
bool leaving::drop_refused_rest(contender_call& call, const reply& answer) {
    if (answer.error == server_error::ok || answer.parts.size() < 2) return false;
    if (answer.parts.front() != server_error::ok) return false;
    if (takes_crash_mark() &&
        (answer.parts[1] != server_error::ok || !raises_low_water_mark(call))) {
        delay.change().give_up_mark();
    } else {
        low_water.forget_version();  // place: low_water_mark_was_refused
    }
    return true;
}

// ---- events ---------------------------------------------------------------------------------

void leaving::step(contender_call& call) {
    // place: removal_is_possible
    const bool removes = call.may_ask() && !removing && !rename->is_under_way() &&
                         !rename->is_unsure() && !delay->writes();
    if (removes) tell_number(call, contender_effects::number_step::leaves);
    if (removes && goes_with_others(call)) return remove_with_others(call);
    awaited.give_back(call.session, call.folder());  // place: leaver_stops_watching
    if (rename->is_unsure() && call.may_ask()) return step_renaming(call);
    if (removes) removing = call.session.submit(removal(call));
}

void leaving::remove_with_others(contender_call& call) {
    TURNSTILE_CHECK(!removing);
    const auto watched = awaited.take_paths(call.folder());
    // Contenders behind may wait for the removal of a holder's znode, and of the znode of the waiter that is first in
    // line.
    const bool is_awaited = was_held || was_first;
    removing = call.session.remove(path(call), watched, is_awaited);
}

void leaving::on_reply(contender_call& call, const reply& answer) {
    auto& c = call.session;
    if (removing.take_answer(answer)) return on_removed(call, answer);
    if (listing.take_answer(answer)) return call.ignore_list(answer);
    if (own.expects(answer.id)) {
        apply_own(call, answer);
        if (classify(answer) == answer_class::ok) apply_data(call, answer);
        if (classify(answer) == answer_class::gone) lose_znode(call);
    } else if (announcing.take_answer(answer)) {
        on_announced(call, answer);
    } else if (rename->expects(answer.id)) {
        on_renamed(call, answer);
    } else if (low_water.expects(answer.id)) {
        apply(call, answer, low_water.on_answer(answer, family(kind), std::nullopt));
    } else if (delay->expects(answer.id)) {
        apply(call, answer, delay.change().on_answer(c, own_mark(call), answer));
    } else if (behind->expects(answer.id)) {
        apply(call, answer, behind.change().on_answer(name, family(kind), answer));
    } else if (permits->expects(answer.id)) {
        apply(call, answer, permits.change().on_answer(call.folder(), std::nullopt, answer));
    }
}

void leaving::on_watch(contender_call& call, const watch_event& event) {
    if (event.path != path(call)) return;
    if (own.on_event(event.kind)) lose_znode(call);
}

// Handles the consequence that a component, like lock_delay, derives from an answer. Ignores a refusal, because the
// contender leaves anyway.
void leaving::apply(contender_call& call, const reply& answer, const consequence& effect) {
    if (std::holds_alternative<suspends>(effect)) call.suspend(answer);
    if (std::holds_alternative<own_znode_gone>(effect)) lose_znode(call);
}

void leaving::end_epoch(contender_call& call, const error& /*why*/) {
    rename.reset();
    lose_znode(call);
}

void leaving::on_removed(contender_call& call, const reply& answer) {
    auto& c = call.session;
    TURNSTILE_CHECK(!removing);
    if (answer.outcome != outcome::answered) return call.suspend(answer);  // place: lost_removal
    if (drop_refused_rest(call, answer)) return;
    switch (classify(answer.error)) {
        case answer_class::ok:
            tell_number(call, contender_effects::number_step::left);
            if (behind.changed())
                behind.change().give_back(c, call.folder(), contenders_watch::removed_by::us);
            return give_back_and_end(call);
        case answer_class::gone: return give_back_and_end(call);  // place: removed_already
        case answer_class::elsewhere: return call.suspend(answer);
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::retry:
            if (++refusals < k_most_refused_removals) return call.suspend(answer);
            break;
        case answer_class::forbidden: break;
    }
    call.facts.awaits_retry = true;
    c.replace_session("the servers refuse to remove " + path(call));
}

void leaving::give_back_and_end(contender_call& call) {
    auto& c = call.session;
    awaited.give_back(c, call.folder());
    give_back_own(call);
    if (behind.changed())
        behind.change().give_back(c, call.folder(), contenders_watch::removed_by::others);
    call.end();
}

// During a rename, the rename itself has probably removed the old znode. Only the rename's answer shows whether the
// contender still has a znode.
void leaving::lose_znode(contender_call& call) {
    if (!rename->is_wanted()) give_back_and_end(call);
}

// ---- answers to requests of earlier states --------------------------------------------------

void leaving::on_announced(contender_call& call, const reply& answer) {
    switch (classify(answer)) {
        case answer_class::ok: version = answer.stat.version; return;
        case answer_class::gone: return lose_znode(call);
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::forbidden: return;
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: return call.suspend(answer);
    }
}

void leaving::on_renamed(contender_call& call, const reply& answer) {
    TURNSTILE_CHECK(rename->is_wanted());
    const auto outcome = rename.change().on_answer(call.session, before_rename(call), answer);
    if (std::holds_alternative<done>(outcome)) take_new_name(call);
    const bool ends = std::holds_alternative<done>(outcome) ||
                      std::holds_alternative<refused>(outcome) ||
                      std::holds_alternative<own_znode_gone>(outcome);
    if (ends) rename.reset();
    apply(call, answer, outcome);
}

void leaving::apply_data(contender_call& call, const reply& answer) {
    const auto found = parse_revocation(answer.data);
    if (found && found->manner == revocation_text::how::take) return;
    if (version == k_any_version) return;  // a new text stops the commit, which then reads the text
    if (take_note(answer.stat.version, found) && *request && was_held) call.session.tell(**request);
}

}  // namespace turnstile::core::state
