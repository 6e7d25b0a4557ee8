// SPDX-License-Identifier: Apache-2.0
// The state `first`, before the grant: no contender is ahead, and the contender waits for the conditions of its grant.
#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "core/contender/answers.hpp"
#include "core/contender/contender_call.hpp"
#include "core/queue/contender_name.hpp"

namespace turnstile::core::state {

first::first(queued&& from) : waiting{std::move(from)} {
    TURNSTILE_CHECK(from.awaited.empty());
    TURNSTILE_CHECK(!from.listing);
    TURNSTILE_CHECK(!beside->permits.reads());
    TURNSTILE_CHECK(!beside->ties.asks());
}

// The contender gets the lock only while the lease lasts long enough (F28 in docs/reference/failures.md). Otherwise the
// session sends a confirmation, a write that extends the lease, and calls this function again. The grant also waits for
// a get of our znode that is in progress. If the latest get is too old, the contender sets a watch, which makes further
// gets needless: if answers are slow, each get is too old when its answer arrives.
void first::step(contender_call& call) {
    if (!call.may_ask()) return;
    auto& c = call.session;
    if (!is_listed_on(c.connection())) return call.enter(queued{std::move(*this)});
    if (call.settings.lock_delay > duration{} && !delay->is_marked()) return advance_delay(call);
    if (!c.lease_lasts()) return;  // place: lease_is_certain
    if (own.asks()) return;
    if (own.is_fresh(c)) return grant(call);
    watch_own(call);
}

void first::advance_delay(contender_call& call) {
    TURNSTILE_CHECK(!delay->is_marked());
    if (delay->asks()) return;
    if (!delay->waits()) return delay.change().advance(call.session, own_mark(call));
    if (call.settings.mode == attempt::once)
        fail(call, {errc::busy,
                    call.folder() + ": the lock delay after the crash of a holder is not over"});
}

void first::grant(contender_call& call) {
    TURNSTILE_CHECK(!rename->is_wanted());
    TURNSTILE_CHECK(!own.asks());
    auto& c = call.session;
    // Contenders of a read-write lock may be granted in another order than their znodes were created, so their tokens
    // cannot be their czxids alone. Each contender that excluded this contender has left before this grant. The zxid of
    // its removal is higher than its token. In the list of the children, the zxid of the folder's latest change (pzxid)
    // is at least as high. If the folder's counter of creates has reached its maximum, the servers do not count a
    // create as a change of the folder. In this case pzxid may be lower than this contender's czxid.
    const bool sorted_by_list = family(kind) == contender_family::read_write;
    // place: number_of_a_token
    const auto zxid = sorted_by_list ? std::max(pzxid, czxid) : czxid;
    const fencing_token token{static_cast<std::uint64_t>(zxid)};  // place: token_of_a_grant
    c.tell(granted{token, path(call)});
    if (*request) c.tell(**request);
    call.enter(held{std::move(*this), token});
}

// ---- events ---------------------------------------------------------------------------------

void first::on_reply(contender_call& call, const reply& answer) {
    if (own.expects(answer.id)) {
        apply(call, answer, read_own(call, answer));
    } else if (delay->expects(answer.id)) {
        apply(call, answer, delay.change().on_answer(call.session, own_mark(call), answer));
    }
}

void first::on_watch(contender_call& call, const watch_event& event) {
    if (event.path != path(call)) return;
    if (own.on_event(event.kind)) {
        lose_znode(call);
    } else {
        watch_own(call);
    }
}

void first::leave(contender_call& call, const error& why) {
    fail(call, why);
}

void first::fail(contender_call& call, const error& why) {
    call.session.tell(failed{why});
    call.enter(leaving{std::move(*this)});
}

void first::end_epoch(contender_call& call, const error& why) {
    give_back_own(call);
    call.enter(after_session(call, why));
}

void first::lose_znode(contender_call& call) {
    give_back_own(call);
    call.enter(outside{});
}

void first::apply(contender_call& call, const reply& answer, const consequence& effect) {
    if (std::holds_alternative<suspends>(effect)) call.suspend(answer);
    if (std::holds_alternative<own_znode_gone>(effect)) lose_znode(call);
    if (const auto* const refusal = std::get_if<refused>(&effect)) fail(call, refusal->why);
}

void first::apply_data(contender_call& call, const reply& answer) {
    apply(call, answer, read_data(call, answer));
}

}  // namespace turnstile::core::state
