// SPDX-License-Identifier: Apache-2.0
// Common parts of the states in which the znode exists. standing: the name, the watch and the rename of the znode.
// waiting: in the states queued and first, in which a caller waits, the writes of other clients into our znode, and the
// end of the session.
#include <limits>

#include "base/check.hpp"
#include "base/path.hpp"
#include "core/contender/answers.hpp"
#include "core/contender/contender_call.hpp"
#include "core/contender/contender_errors.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/znode_texts.hpp"

namespace turnstile::core::state {

namespace {

// From this number on, a waiter must list the folder before its grant, because the folder's counter of creates is close
// to its maximum. A waiter with a lower number may be granted without listing the folder.
constexpr std::int32_t k_near_counter_end = std::numeric_limits<std::int32_t>::max() - 1'000'000;

// True for kinds whose waiter gets the lock without a request when the only contender ahead ends. Readers and writers
// must list the folder, because their token depends on the answer. A semaphore's contenders must list the folder to
// count permits.
constexpr bool is_handed_over(claim_kind kind) {
    return kind == claim_kind::lock || kind == claim_kind::latch;
}

}  // namespace

std::string standing::path(const contender_call& call) const {
    return base::child_path(call.folder(), name);
}

std::optional<std::int32_t> standing::ordered_number() const {
    const auto number = contender_sequence(name);
    // place: is_ordered
    const bool ordered = !ties && number && *number < k_near_counter_end &&
                         !at_counter_end(*number) && is_handed_over(kind);
    return ordered ? number : std::nullopt;
}

marking_contender standing::own_mark(const contender_call& call) const {
    return {call.folder(), path(call), std::string{contender_guid(name)}, call.settings.lock_delay};
}

renamed_znode standing::before_rename(const contender_call& call) {
    return {call.folder(), name, call.data(), version};
}

void standing::watch_own(contender_call& call) {
    if (!call.session.attached() || rename->is_under_way() || rename->is_unsure()) return;
    own.watch(call.session, path(call));
}

// Handles an answer about our own znode. Builds the path only if necessary, since this function runs for each hold.
void standing::apply_own(contender_call& call, const reply& answer) {
    if (own.on_answer(answer)) call.session.unwatch_gone(path(call));
}

// Handles the answer to the request that sets the watch on our znode. The request may have been lost with an earlier
// connection, and this outcome may arrive only after the next connection has begun. At the start of the next
// connection, the lost request still counted as in progress, so the contender sent no other request. In this case the
// function sets the watch again.
void standing::apply_own_and_watch(contender_call& call, const reply& answer) {
    const bool is_lost = own.expects_watch(answer.id) && answer.outcome != outcome::answered &&
                         answer.connection < call.session.connection();
    apply_own(call, answer);
    if (is_lost) watch_own(call);
}

bool standing::take_note(std::int32_t read_version, const std::optional<revocation_text>& found) {
    const auto asked =
        found ? std::optional{asked_to_release{found->by, found->why}} : std::nullopt;
    const bool is_new = asked && asked != *request;
    if (read_version == version && !is_new) return false;
    version = read_version;
    if (asked != *request) request.change() = asked;
    return true;
}

void standing::give_back_own(contender_call& call) {
    if (own.give_back()) call.session.unwatch(path(call));
}

void standing::step_renaming(contender_call& call) {
    TURNSTILE_CHECK(rename->is_wanted());
    if (rename->is_unsure()) {
        rename.change().find_out(call.session, before_rename(call));
    } else if (!rename->is_under_way() && !own.sets_watch()) {
        rename.change().send(call.session, before_rename(call));
    }
}

void standing::take_new_name(contender_call& call) {
    TURNSTILE_CHECK(!rename->name().empty());
    TURNSTILE_CHECK(rename->name() != name);
    give_back_own(call);
    name = rename->name();
    if (const auto now = parse_contender(rename->name())) kind = now->wants.kind;
    version = 0;
}

consequence waiting::read_own(contender_call& call, const reply& answer) {
    TURNSTILE_CHECK(own.expects(answer.id));
    apply_own_and_watch(call, answer);
    switch (classify(answer)) {
        case answer_class::ok: return read_data(call, answer);
        case answer_class::gone: return own_znode_gone{};
        case answer_class::forbidden:
            return refused{{errc::no_permission, "to read " + path(call)}};
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: break;
    }
    return suspends{};
}

consequence waiting::read_data(contender_call& call, const reply& answer) {
    TURNSTILE_CHECK(answer.outcome == outcome::answered);
    const auto found = parse_revocation(answer.data);
    // An operator's order to leave ends the wait, even if the znode has the version that the contender knows. Servers
    // that restart from older data may give two writes the same version.
    if (found && found->manner == revocation_text::how::take)
        return refused{taken_away(call.folder(), *found)};
    static_cast<void>(take_note(answer.stat.version, found));  // the grant reports the request
    return goes_on{};
}

outside waiting::after_session(contender_call& call, const error& why) {
    outside next;
    if (call.settings.waiters == session_loss_policy::fail) next.fail(call, why);
    return next;
}

}  // namespace turnstile::core::state
