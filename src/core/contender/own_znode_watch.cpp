// SPDX-License-Identifier: Apache-2.0
#include "core/contender/own_znode_watch.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "core/contender/answer_class.hpp"

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

}  // namespace turnstile::core
