// SPDX-License-Identifier: Apache-2.0
#include "core/contender/contenders_watch.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "core/contender/answer_class.hpp"

namespace turnstile::core {

void contenders_watch::list(contender_session& c, const std::string& folder) {
    TURNSTILE_CHECK(!listing_);
    TURNSTILE_CHECK(!reported_);
    if (!interest_) c.watch(folder);
    interest_ = true;
    listing_ = c.submit(children_op{folder, watch_mode::watch});
}

consequence contenders_watch::on_answer(const std::string& own, contender_family of,
                                        const reply& answer) {
    TURNSTILE_CHECK(expects(answer.id));
    listing_.reset();
    switch (classify(answer)) {
        case answer_class::ok: break;
        case answer_class::gone: return own_znode_gone{};
        // The contender could list the folder before its grant, so a client has revoked the permission since then.
        // Without the permission the hold cannot notice contenders that arrive behind it. So the contender reports that
        // contenders queue behind the hold. The holder then gives the lock up early, and no contender waits in vain.
        case answer_class::forbidden: return done{};
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: return suspends{};
    }
    watched_on_ = answer.connection;
    const bool others = std::any_of(
        answer.children.begin(), answer.children.end(), [&own, of](const std::string& name) {
            return name != own && contender_sequence(name, of).has_value();
        });
    if (others) return done{};  // place: those_behind_are_seen
    return goes_on{};
}

bool contenders_watch::take_report() noexcept {
    return !std::exchange(reported_, true);
}

void contenders_watch::give_back(contender_session& c, const std::string& folder,
                                 removed_by remover) {
    if (interest_ && remover == removed_by::us) c.unwatch_gone(folder);
    // place: drops_watch_for_others
    if (interest_ && remover == removed_by::others) c.unwatch(folder);
    *this = {};
}

}  // namespace turnstile::core
