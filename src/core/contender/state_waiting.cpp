// SPDX-License-Identifier: Apache-2.0
// Common part of the states queued and first, in which a caller waits: handles writes of other clients into our znode,
// and the end of the session.
#include "base/check.hpp"
#include "core/contender/answer_class.hpp"
#include "core/contender/contender_call.hpp"
#include "core/contender/refusals.hpp"
#include "core/queue/znode_texts.hpp"

namespace turnstile::core::state {

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
