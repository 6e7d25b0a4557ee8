// SPDX-License-Identifier: Apache-2.0
#include "core/contender/znode_watches.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "core/contender/answers.hpp"

namespace turnstile::core {

void own_znode_watch::watch(contender_session& c, const std::string& path) {
    if (watching_ || watched_on_ == c.connection()) return;
    if (!interest_) c.watch(path);
    interest_ = true;
    watching_ = c.submit(get_op{path, watch_mode::watch});
}

void own_znode_watch::look(contender_session& c, const std::string& path) {
    if (!asks()) looking_ = c.submit(get_op{path});
}

bool own_znode_watch::on_event(watch_kind kind) noexcept {
    const bool deleted = kind == watch_kind::deleted;  // place: watched_znode_deleted
    watched_on_ = 0;
    if (deleted) interest_ = false;
    return deleted;
}

bool own_znode_watch::on_answer(const reply& answer) {
    TURNSTILE_CHECK(expects(answer.id));
    const bool watch = watching_.take_answer(answer);
    if (!watch) looking_.take_answer(answer);
    switch (classify(answer)) {
        case answer_class::ok:
            if (watch) watched_on_ = answer.connection;
            seen_at_ = std::max(seen_at_, answer.sent);
            return false;
        case answer_class::gone: return watch && std::exchange(interest_, false);
        case answer_class::conflict:
        case answer_class::forbidden:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: return false;
    }
    return false;
}

bool own_znode_watch::give_back() noexcept {
    watching_.reset();
    watched_on_ = 0;
    return std::exchange(interest_, false);
}

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
