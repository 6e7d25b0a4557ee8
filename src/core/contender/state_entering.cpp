// SPDX-License-Identifier: Apache-2.0
// The states before the znode exists: the contender creates missing parents and its znode. If the answer to the create
// was lost, the contender finds out the outcome.
#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/path.hpp"
#include "core/contender/answers.hpp"
#include "core/contender/contender_call.hpp"
#include "core/contender/contender_errors.hpp"
#include "core/queue/contender_name.hpp"

namespace turnstile::core::state {

// ---- functions of the states `outside`, `creating` and `unsure` -------------------------------

void entering::fail(contender_call& call, const error& why) {
    if (!std::exchange(given_up, true)) call.session.tell(failed{why});
    call.step();
}

void entering::leave(contender_call& call, const error& why) {
    if (!given_up) fail(call, why);  // place: leaves_before_it_stands
}

void entering::end_epoch(contender_call& call, const error& why) {
    if (parents->is_under_way()) parents.change().forget_requests();
    if (call.settings.waiters == session_loss_policy::fail) fail(call, why);
    call.enter(start_over());
}

outside entering::start_over() {
    TURNSTILE_CHECK(!parents->is_under_way());
    guid.clear();  // place: attempt_ends
    return outside{std::move(*this)};
}

// ---- outside --------------------------------------------------------------------------------

void outside::step(contender_call& call) {
    if (parents->is_under_way()) return;
    if (given_up) return call.end();
    if (!call.may_ask() || !call.session.may_enter()) return;
    const auto refusal = call.session.no_lease();
    if (refusal) return fail(call, *refusal);
    create(call);
}

void outside::on_reply(contender_call& call, const reply& answer) {
    if (!parents->expects(answer.id)) return;
    const auto outcome = parents.change().on_answer(call.session, call.folder(), answer);
    if (std::holds_alternative<suspends>(outcome)) call.suspend(answer);
}

void outside::create(contender_call& call) {
    TURNSTILE_CHECK(!given_up);
    TURNSTILE_CHECK(!parents->is_under_way());
    TURNSTILE_CHECK(call.may_ask());
    auto& c = call.session;
    const auto& wants = call.settings.wants;
    // If the folder's counter of creates has reached its maximum, several contenders have the same number. Then the
    // names do not show which znode belongs to the upgradable contender, and which waiters the upgrade would overtake.
    if (wants.kind == claim_kind::upgrade && at_counter_end(wants.upgrades))
        return fail(call, no_more_upgrades(call.folder()));
    creating next{std::move(*this)};
    next.guid = c.new_guid();  // place: fresh_guid
    next.asked_at = c.now();
    // The servers answer a session's requests in order, so a list of the folder's children that follows the create
    // shows our znode.
    next.sent = c.enter({base::child_path(call.folder(), contender_prefix(next.guid, wants)),
                         call.data(), create_mode::ephemeral_sequential, c.acl()});
    if (wants.kind == claim_kind::permit) {
        next.listing = c.submit(children_op{call.folder()});
        next.beside.change().permits.read(c, call.folder());
    } else if (!c.omits_list()) {
        next.listing = c.list(call.folder());
    }
    call.enter(std::move(next));
}

void outside::create_parents(contender_call& call) {
    TURNSTILE_CHECK(!given_up);
    TURNSTILE_CHECK(guid.empty());
    const auto kind = call.settings.wants.kind == claim_kind::permit
                          ? parent_creation::folder_kind::semaphore
                          : parent_creation::folder_kind::plain;
    const auto refusal =
        parents.change().create(call.session, call.folder(), kind, call.settings.limit);
    if (refusal) fail(call, *refusal);
}

// ---- creating -------------------------------------------------------------------------------

void creating::on_reply(contender_call& call, const reply& answer) {
    if (sent.take_answer(answer)) return on_created(call, answer);
    // This is the answer to the request for the folder's children. The servers refused a batch that contained our
    // create, so the create was sent again after that request. Ignores the answer, even a refusal, because the
    // contender requests the children again once its znode exists.
    if (listing.take_answer(answer)) return call.ignore_list(answer);
    // The servers refused a batch that contained our create. So the create was sent again, after this read of the
    // semaphore's limit. The contender ignores the answer to this read, because a new read follows the create.
    if (beside->permits.expects(answer.id)) beside.reset();
}

void creating::on_created(contender_call& call, const reply& answer) {
    TURNSTILE_CHECK(!guid.empty());
    if (answer.outcome == outcome::not_sent) {
        call.suspend(answer);
        return call.enter(start_over());
    }
    // place: create_is_refused
    const bool refused = answer.outcome == outcome::answered && answer.error != server_error::ok;
    // place: create_failed
    if (refused && answer.error != server_error::session_expired &&
        answer.error != server_error::session_moved) {
        return refuse(call, answer);
    }
    if (answer.outcome == outcome::unknown || refused ||
        answer.stat.ephemeral_owner != call.session.session_id()) {
        call.suspend(answer);
        return call.enter(unsure{std::move(*this), asked_at});
    }
    queued next;
    next.name = std::string_view{answer.path}.substr(answer.path.rfind('/') + 1);
    next.kind = call.settings.wants.kind;
    next.version = answer.stat.version;
    next.czxid = answer.stat.czxid;
    next.own = own_znode_watch{asked_at};
    if (call.settings.lock_delay > duration{}) next.delay.change() = lock_delay{answer.stat.ctime};
    next.listing = listing;
    next.beside = std::move(beside);
    const auto number = next.ordered_number();
    if (number)
        call.session.number_known(contender_effects::number_step::entered, family(next.kind),
                                  *number);
    if (given_up) return call.enter(leaving{std::move(next)});
    call.session.tell(entered{next.path(call)});
    // place: none_ahead_by_number
    if (!listing && number && number == call.session.sole_number()) {
        next.listed_on = answer.connection;
        return call.enter(first{std::move(next)});
    }
    call.enter(std::move(next));
}

void creating::refuse(contender_call& call, const reply& answer) {
    TURNSTILE_CHECK(answer.outcome == outcome::answered);
    TURNSTILE_CHECK(answer.error != server_error::ok);
    const auto& folder = call.folder();
    auto next = start_over();
    switch (answer.error) {
        case server_error::no_node:
            if (!next.given_up) next.create_parents(call);  // place: missing_parent
            break;
        case server_error::not_read_only: call.suspend(answer); break;
        case server_error::no_auth:
            next.fail(call, {errc::no_permission, "to create a znode in " + folder});
            break;
        case server_error::invalid_acl: next.fail(call, credentials_not_accepted()); break;
        case server_error::auth_failed: next.fail(call, errc::auth_failed); break;
        case server_error::no_children_for_ephemerals:
            next.fail(call, ephemeral_in_the_way(folder, "the znode at this path"));
            break;
        case server_error::quota_exceeded: next.fail(call, quota_exceeded(folder)); break;
        case server_error::local_session: next.fail(call, sessions_are_local(folder)); break;
        case server_error::unimplemented:
            next.fail(call, {errc::server_too_old, "create2, which came with ZooKeeper 3.5"});
            break;
        case server_error::bad_arguments: next.fail(call, path_not_taken(folder)); break;
        case server_error::ok:
        case server_error::session_expired:
        case server_error::session_moved:
            TURNSTILE_CHECK(false);  // on_created handles these errors
            break;
        case server_error::node_exists:
        case server_error::not_empty:
        case server_error::bad_version:
        case server_error::rolled_back:
        case server_error::throttled:
        case server_error::other:
            next.fail(call, {errc::protocol, "a refusal to create a znode in " + folder});
            break;
    }
    call.enter(std::move(next));
}

// ---- unsure ---------------------------------------------------------------------------------

void unsure::step(contender_call& call) {
    if (!call.may_ask() || verifying || listing || locating) return;
    auto& c = call.session;
    if (verified_on != c.connection()) {  // place: create_is_verified
        verifying = c.submit(multi_op{{check_op{call.folder()}}});
    } else {
        listing = c.submit(children_op{call.folder()});
    }
}

void unsure::on_reply(contender_call& call, const reply& answer) {
    if (verifying.take_answer(answer)) return on_verified(call, answer);
    if (listing.take_answer(answer)) return look_for_guid(call, answer);
    if (locating.take_answer(answer)) return on_located(call, answer);
}

void unsure::on_verified(contender_call& call, const reply& answer) {
    if (answer.outcome == outcome::answered && proves_quorum(answer.error)) {
        verified_on = answer.connection;
    } else {
        call.suspend(answer);
    }
}

void unsure::look_for_guid(contender_call& call, const reply& answer) {
    auto& c = call.session;
    switch (classify(answer)) {
        case answer_class::ok:
        case answer_class::gone: break;
        case answer_class::forbidden:
            return c.replace_session("a znode of this client may be in " + call.folder() +
                                     ", and an ACL forbids this client to list that folder");
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: return call.suspend(answer);
    }
    // place: list_behind_the_write
    if (answer.connection != verified_on) return;  // begin again with a write
    const auto& children = answer.children;
    const auto of = family(call.settings.wants.kind);
    const auto child = std::find_if(children.begin(), children.end(), [&](const auto& other) {
        return made_by(other, guid) && contender_sequence(other, of);
    });
    if (answer.error == server_error::no_node || child == children.end())
        return give_up_create(call);
    TURNSTILE_CHECK(!locating);
    name = *child;
    locating = c.submit(get_op{base::child_path(call.folder(), *child)});
}

// The answer to the create was lost, and the folder does not contain its znode. But the create may still commit, so the
// session searches for the znode for a while longer.
void unsure::give_up_create(contender_call& call) {
    TURNSTILE_CHECK(verified_on != 0);
    TURNSTILE_CHECK(!guid.empty());
    call.session.abandon(guid);
    call.enter(start_over());
}

void unsure::on_located(contender_call& call, const reply& answer) {
    TURNSTILE_CHECK(!name.empty());
    queued next;
    next.name = name;
    next.kind = call.settings.wants.kind;
    next.own = own_znode_watch{asked_at};
    switch (classify(answer)) {
        case answer_class::ok: break;
        case answer_class::gone: return give_up_create(call);
        case answer_class::forbidden:
            // Our GUID in the name shows that we may remove the znode. But we may not read the znode, so the
            // contender cannot get the lock.
            if (!given_up)
                call.session.tell(failed{{errc::no_permission, "to read " + next.path(call)}});
            return call.enter(leaving{std::move(next)});
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: return call.suspend(answer);
    }
    // place: located_is_ours
    if (answer.stat.ephemeral_owner != call.session.session_id()) return give_up_create(call);
    next.czxid = answer.stat.czxid;
    if (call.settings.lock_delay > duration{}) next.delay.change() = lock_delay{answer.stat.ctime};
    if (given_up) {
        leaving last{std::move(next)};
        last.apply_data(call, answer);
        return call.enter(std::move(last));
    }
    call.session.tell(entered{next.path(call)});
    next.apply_data(call, answer);
    if (!call.leaves_state()) call.enter(std::move(next));
}

}  // namespace turnstile::core::state
