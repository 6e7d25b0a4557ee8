// SPDX-License-Identifier: Apache-2.0
// The state `held`: the contender watches for contenders behind its hold and for writes into its znode. It renames its
// znode if the hold changes its kind, for example from write to read.
#include <utility>

#include "base/check.hpp"
#include "core/contender/answers.hpp"
#include "core/contender/contender_call.hpp"
#include "core/contender/contender_errors.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/znode_texts.hpp"

namespace turnstile::core::state {

held::held(first&& from, fencing_token granted_with)
    : standing{std::move(from)}, token{granted_with} {
    TURNSTILE_CHECK(!own.asks());
    unannounced = from.waited && kind == claim_kind::permit;
}

void held::step(contender_call& call) {
    if (!call.may_ask()) return;
    if (version == k_any_version) return;  // wait for the outcome of the commit in progress
    if (unannounced && !announcing) announce(call);
    if (call.settings.tells_contended && !behind->needs_no_list(call.session.connection()))
        behind.change().list(call.session, call.folder());
    if (rename->is_wanted()) step_renaming(call);
}

void held::on_reply(contender_call& call, const reply& answer) {
    if (own.expects(answer.id)) return on_own_answer(call, answer);
    if (announcing.take_answer(answer)) return on_announced(call, answer);
    if (rename->expects(answer.id)) return on_renamed(call, answer);
    if (!behind->expects(answer.id)) return;
    const auto outcome = behind.change().on_answer(name, family(kind), answer);
    if (std::holds_alternative<done>(outcome)) on_contended(call);
    if (std::holds_alternative<suspends>(outcome)) call.suspend(answer);
    if (std::holds_alternative<own_znode_gone>(outcome)) lose_znode(call);
}

void held::on_watch(contender_call& call, const watch_event& event) {
    if (event.path == call.folder()) {
        // This contender has a watch on the folder only after the answer to its request for the children. An event
        // before this answer comes from the watch of another contender of this session.
        // place: arrival_behind_the_hold
        if (behind->is_watched_on(event.connection)) on_contended(call);
    } else if (event.path == path(call)) {
        const bool deleted = own.on_event(event.kind);
        if (deleted) {  // place: held_znode_deleted
            lose_znode(call);
        } else {
            watch_own(call);
        }
    }
}

void held::leave(contender_call& call, const error& /*why*/) {
    call.enter(leaving{std::move(*this), false});
}

void held::revoke(contender_call& call, const error& why) {
    call.session.tell(lost{why});
    call.enter(leaving{std::move(*this), true});
}

void held::give_back(contender_call& call) {
    give_back_own(call);
    if (behind.changed())
        behind.change().give_back(call.session, call.folder(),
                                  contenders_watch::removed_by::others);
}

void held::end_epoch(contender_call& call, const error& why) {
    give_back(call);
    call.session.tell(lost{why});  // place: tells_session_lost
    call.end();
}

// During a rename, the rename itself has probably removed the old znode. Only the rename's answer shows whether the
// contender still has a znode.
void held::lose_znode(contender_call& call) {
    if (rename->is_wanted()) return;
    give_back(call);
    call.session.tell(lost{error{errc::removed, path(call)}});
    call.end();
}

// ---- contenders behind the hold --------------------------------------------------------------

void held::on_contended(contender_call& call) {
    if (behind.change().take_report()) call.session.tell(contended{});
}

// A contender that entered while this contender waited watches this contender's znode. The grant causes no event, so
// the contender behind would not learn that it is first in line now. So this contender writes into its own znode.
void held::announce(contender_call& call) {
    TURNSTILE_CHECK(unannounced);
    TURNSTILE_CHECK(!announcing);
    TURNSTILE_CHECK(version != k_any_version);
    announcing = call.session.submit(set_op{path(call), call.data(), version});
}

void held::on_announced(contender_call& call, const reply& answer) {
    TURNSTILE_CHECK(!announcing);
    switch (classify(answer)) {
        case answer_class::ok:
            unannounced = false;
            version = answer.stat.version;
            return;
        case answer_class::conflict:  // a client wrote, so the contenders behind have an event
            unannounced = false;
            own.was_changed();
            return watch_own(call);
        case answer_class::gone: return lose_znode(call);
        case answer_class::over_quota:
        case answer_class::forbidden:
            unannounced = false;  // the contenders behind notice when this hold ends
            return;
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: return call.suspend(answer);
    }
}

// ---- the hold's own znode --------------------------------------------------------------------

// A failed read needs no reaction, since the next confirmation (a write that extends the lease) checks the hold's znode
// again. But a rename that was stopped by another client's write can continue only after a read of that write.
void held::on_own_answer(contender_call& call, const reply& answer) {
    apply_own_and_watch(call, answer);
    const bool may_rename = rename->is_wanted() && !rename->is_under_way() && !rename->is_unsure();
    if (may_rename && classify(answer) == answer_class::forbidden)
        return end_rename(call, error{errc::no_permission, "to read " + path(call)});
    switch (classify(answer)) {
        case answer_class::ok: return apply_data(call, answer);
        case answer_class::gone: return lose_znode(call);  // place: look_found_nothing
        case answer_class::conflict:
        case answer_class::forbidden:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: return;
    }
}

void held::apply_data(contender_call& call, const reply& answer) {
    const auto found = parse_revocation(answer.data);
    // An operator's order to leave ends the hold, even if the znode has the version that the contender knows. Servers
    // that restart from older data may give two writes the same version.
    // place: order_to_go
    if (found && found->manner == revocation_text::how::take)
        return revoke(call, taken_away(call.folder(), *found));
    if (version == k_any_version) return;  // a new text stops the commit, which then reads the text
    if (take_note(answer.stat.version, found) && *request) call.session.tell(**request);
}

// ---- a change of the hold's kind, for example from write to read -----------------------------

void held::begin_rename(contender_call& call, claim_kind to) {
    if (rename->is_wanted()) {
        const error busy{errc::busy, path(call) + " is being renamed"};
        return call.session.tell(core::renamed{token, path(call), busy});
    }
    // If the folder's counter of creates has reached its maximum, several contenders have the same number. Then the
    // contender whose znode was created first is ahead, so the renamed znode would be behind the waiters. Therefore the
    // hold keeps its old name, and contenders that the new kind would admit continue to wait.
    const auto number = contender_sequence(name);
    if (ties || !number || at_counter_end(*number)) return end_rename(call, std::nullopt);
    rename.change() = renaming{renamed_contender(name, to)};
    call.step();
}

void held::on_renamed(contender_call& call, const reply& answer) {
    const auto outcome = rename.change().on_answer(call.session, before_rename(call), answer);
    if (std::holds_alternative<suspends>(outcome)) call.suspend(answer);
    if (std::holds_alternative<own_znode_changed>(outcome)) {
        own.was_changed();
        watch_own(call);
    } else if (std::holds_alternative<own_znode_gone>(outcome)) {
        rename.reset();
        lose_znode(call);
    } else if (std::holds_alternative<done>(outcome)) {
        take_new_name(call);
        end_rename(call, std::nullopt);
    } else if (const auto* const refusal = std::get_if<refused>(&outcome)) {
        end_rename(call, refusal->why);
    }
}

void held::end_rename(contender_call& call, std::optional<error> refusal) {
    rename.reset();
    if (!refusal) token = fencing_token{token.zxid(), token.counter() + 1};
    call.session.tell(core::renamed{token, path(call), std::move(refusal)});
}

}  // namespace turnstile::core::state
