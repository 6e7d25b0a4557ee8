// SPDX-License-Identifier: Apache-2.0
#include "core/contender/renaming.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/path.hpp"
#include "core/contender/answers.hpp"
#include "core/contender/contender_errors.hpp"

namespace turnstile::core {

namespace {

std::string path_of(const renamed_znode& own) {
    return base::child_path(own.folder, own.name);
}

}  // namespace

void renaming::send(contender_session& c, const renamed_znode& own) {
    TURNSTILE_CHECK(is_wanted());
    TURNSTILE_CHECK(!sent_);
    TURNSTILE_CHECK(!unsure_);
    // place: renaming_transaction
    sent_ = c.submit(multi_op{{remove_op{path_of(own), own.version},
                               create_op{base::child_path(own.folder, name_), own.data,
                                         create_mode::ephemeral, c.acl()}}});
}

void renaming::find_out(contender_session& c, const renamed_znode& own) {
    TURNSTILE_CHECK(unsure_);
    if (fencing_ || listing_) return;
    if (fenced_on_ != c.connection()) {
        fencing_ = c.submit(set_op{path_of(own), own.data, own.version});
    } else {
        listing_ = c.submit(children_op{own.folder});
    }
}

consequence renaming::on_answer(contender_session& c, const renamed_znode& own,
                                const reply& answer) {
    TURNSTILE_CHECK(expects(answer.id));
    if (sent_.take_answer(answer)) return on_sent(own, answer);
    if (fencing_.take_answer(answer)) return on_fenced(own, answer);
    listing_.reset();
    return on_listed(c, own, answer);
}

consequence renaming::on_sent(const renamed_znode& own, const reply& answer) {
    if (answer.outcome != outcome::not_sent && !is_heard(answer)) {
        unsure_ = true;  // place: rename_is_unsure
        fenced_on_ = 0;  // a write that stopped an earlier rename does not count
        fence_refused_ = false;
        return suspends{};
    }
    switch (classify(answer)) {
        case answer_class::ok: return done{};
        case answer_class::gone: return own_znode_gone{};
        case answer_class::conflict:
            if (answer.error == server_error::bad_version) return own_znode_changed{};
            return refused{{errc::node_exists, "under the new name of " + path_of(own)}};
        case answer_class::forbidden:
            return refused{{errc::no_permission, "to rename " + path_of(own)}};
        case answer_class::over_quota: return refused{quota_exceeded(own.folder)};
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: break;
    }
    return suspends{};
}

consequence renaming::on_fenced(const renamed_znode& own, const reply& answer) {
    switch (classify(answer)) {
        case answer_class::ok:
            unsure_ = false;
            own.version = answer.stat.version;
            return goes_on{};
        case answer_class::conflict:
            if (answer.error != server_error::bad_version) break;
            unsure_ = false;
            return own_znode_changed{};
        // Either the rename was carried out, or another client removed our znode. The next list of the folder shows
        // which of these two events has happened.
        case answer_class::gone:
            fenced_on_ = answer.connection;
            fence_refused_ = false;
            return goes_on{};
        // The servers refused the write that should stop the rename with the lost answer, so the rename may still
        // commit. If a later list of the folder's children lacks the old name, it shows the outcome. A list with the
        // old name does not show the outcome, because the rename may commit after that list.
        case answer_class::forbidden:
        case answer_class::over_quota:
            fenced_on_ = answer.connection;
            fence_refused_ = true;
            return goes_on{};
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: break;
    }
    return suspends{};
}

consequence renaming::on_listed(contender_session& c, const renamed_znode& own,
                                const reply& answer) {
    switch (classify(answer)) {
        case answer_class::ok:
        case answer_class::gone: break;
        // The client has no permission to list the folder, so the session must end. The end of the session notifies the
        // holder of the loss, and removes our znode under its old or its new name.
        case answer_class::forbidden:
            c.replace_session("a znode of this client may be in " + own.folder +
                              ", and an ACL forbids this client to list that folder");
            return suspends{};
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: return suspends{};
    }
    // A list on a connection without a fence (a write that stops the rename) does not show the outcome.
    if (answer.connection != fenced_on_) return goes_on{};
    const auto stands = [&answer](const std::string& name) {
        return std::find(answer.children.begin(), answer.children.end(), name) !=
               answer.children.end();
    };
    if (fence_refused_ && stands(own.name)) {
        c.replace_session(
            "the servers may still rename " + path_of(own) +
            ", and an ACL forbids this client the write that would prevent the renaming");
        return suspends{};
    }
    unsure_ = false;
    if (stands(name_)) return done{};
    if (!stands(own.name)) return own_znode_gone{};
    return goes_on{};
}

}  // namespace turnstile::core
