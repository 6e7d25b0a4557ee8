// SPDX-License-Identifier: Apache-2.0
// Our own znode: it is watched, and what somebody else writes into it is heeded; a lease that had to wait
// shows that it is granted; a hold of a read-write lock is renamed.
#include <algorithm>
#include <utility>

#include "core/contender/acquisition.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/revocation.hpp"

namespace turnstile::core {

void acquisition::watch_own_znode(acquisition_context& c) {
    // place: may_watch_own_znode
    if (place_ != place::mine || aim_ != aim::hold || !c.attached()) return;
    if (renamed_->renaming || renamed_->unsure) return;
    if (watching_own_ || own_watched_on_ == c.connection()) return;
    if (!own_interest_) c.watch(znode());
    own_interest_ = true;
    watching_own_ = c.submit(get_op{znode(), watch_mode::watch});
}

// Once, and off the way of whatever it is for.
void acquisition::look_at_own_znode(acquisition_context& c) {
    if (!questions_->looking && !watching_own_)
        questions_.change().looking = c.submit(get_op{znode()});
}

bool acquisition::seen(const acquisition_context& c) const {
    // place: own_znode_is_seen
    return own_watched_on_ == c.connection() || c.now() < seen_at_ + c.unseen_for();
}

// A grant waits for a look that is under way. If the last one was too long ago, only a watch will do: where
// answers are slow, another look would be too old again.
bool acquisition::is_seen(acquisition_context& c) {
    if (watching_own_ || questions_->looking) return false;
    if (seen(c)) return true;
    if (!parked_) watch_own_znode(c);
    return false;
}

void acquisition::on_own_watched(acquisition_context& c, const reply& answer) {
    if (answer.what == outcome::answered && answer.error == server_error::ok)
        own_watched_on_ = answer.connection;
    if (answer.what == outcome::answered && answer.error == server_error::no_node) {
        c.unwatch_gone(znode());
        own_interest_ = false;
    }
    // Lost with an earlier connection, and told after the attach, which therefore asked for no other one.
    if (answer.what != outcome::answered && answer.connection < c.connection()) watch_own_znode(c);
    on_own_seen(c, answer);
}

void acquisition::on_own_seen(acquisition_context& c, const reply& answer) {
    if (answer.what == outcome::answered && answer.error == server_error::ok) {
        seen_at_ = std::max(seen_at_, answer.sent);
        handed_over_ = false;  // it stands, and after the one ahead went
        adopt(c, answer);
    } else if (answer.what == outcome::answered && answer.error == server_error::no_node) {
        on_own_znode_gone(c);  // place: look_found_nothing
    } else if (!waits()) {
        return;  // a hold is looked at again by its confirmation
    } else if (answer.what == outcome::answered && answer.error == server_error::no_auth) {
        fail(c, {errc::no_permission, "no permission to read " + znode()});
    } else {
        park(c, answer);
    }
}

void acquisition::on_own_znode_changed(acquisition_context& c) {
    own_watched_on_ = 0;
    watch_own_znode(c);
}

// ---- what somebody wrote into it ------------------------------------------------------------

void acquisition::adopt(acquisition_context& c, const reply& answer) {
    if (answer.stat.version == version_) return;
    const auto mark = parse_revocation(answer.data);
    if (mark && mark->manner == revocation::how::take) {  // place: order_to_go
        const error why{errc::revoked,
                        folder() + ": taken away by " + mark->who + ": " + mark->why};
        return revoke(c, why);  // no confirmation of the version that we know succeeds any more
    }
    if (version_ == k_any_version) return;  // a commit is under way, and will find it, too
    version_ = answer.stat.version;
    if (!mark) return;
    const asked_to_release asked{mark->who, mark->why};
    if (granted_) {
        c.tell(asked);
    } else {
        hold_.change().asked = asked;
    }
}

// ---- a lease that waited --------------------------------------------------------------------

// Whoever came while this one waited watches it, and would not hear that it waits no longer and that the
// next one is first in line now. A write into our own znode tells.
void acquisition::touch(acquisition_context& c) {
    questions_.change().touching = c.submit(set_op{znode(), data(), version_});
}

void acquisition::on_touched(acquisition_context& c, const reply& answer) {
    if (answer.what != outcome::answered) return park(c, answer);
    switch (answer.error) {
        case server_error::ok:
            untold_ = false;
            version_ = answer.stat.version;
            return;
        case server_error::bad_version:  // somebody wrote, so whoever watches has been told
            untold_ = false;
            return on_own_znode_changed(c);
        case server_error::no_node: return on_own_znode_gone(c);
        case server_error::quota_exceeded:
        case server_error::no_auth: untold_ = false; return;  // those behind learn it when it ends
        default: return park(c, answer);
    }
}

void acquisition::step_granted(acquisition_context& c) {
    if (version_ == k_any_version) return;  // a commit is under way, and comes first
    if (untold_ && !questions_->touching) touch(c);
    if (settings_.tells_contended) watch_contenders(c);
    if (!renamed_->name.empty()) step_renaming(c);
}

void acquisition::step_renaming(acquisition_context& c) {
    if (renamed_->unsure) return resolve(c);
    if (!renamed_->renaming && !watching_own_) send_rename(c);
}

// ---- a new name -----------------------------------------------------------------------------

// One transaction puts a contender of another kind in our place, with our number, and removes the old one:
// at no instant is the place empty (F10). Both names are known beforehand, so a lost answer is found out
// with a list.
void acquisition::rename(acquisition_context& c, contender_kind kind) {
    if (!holds()) return;  // which has been told
    if (!renamed_->name.empty()) {
        return c.tell(
            renamed{hold_->token, znode(), error{errc::busy, znode() + " is being renamed"}});
    }
    // Where a counter sticks at its end, equal numbers are told apart by their creation, and the new name would
    // stand behind those that wait. Then the old one stays, and lets nobody in who could have come in.
    const auto number = name_.sequence();
    if (ties_ || !number || at_counter_end(*number)) return end_rename(c, std::nullopt);
    renamed_.change().name = renamed_contender(name_.str(), kind);
    step(c);
}

// An upgrade, by the same transaction, before it is granted.
void acquisition::change_places(acquisition_context& c, const decision& judged) {
    if (judged.ahead > 0 && settings_.mode == attempt::once) return wait_for(c, judged);  // busy
    // Going back, it would be behind those with its number that came after it.
    const auto name = parse_contender(name_.str()).value_or(contender_name{});
    if (judged.ahead > 0 && at_counter_end(numbers_of(name).came_with))
        return fail(c, no_more_upgrades(folder()));
    drop_awaited(c);
    renamed_.change().name = upgrade_in_other_place(name_.str());
    step(c);
}

void acquisition::send_rename(acquisition_context& c) {
    const auto path = folder() + '/' + renamed_->name;
    // place: renaming_transaction
    renamed_.change().renaming = c.submit(multi_op{
        {remove_op{znode(), version_}, create_op{path, data(), create_mode::ephemeral, c.acl()}}});
}

void acquisition::on_renamed(acquisition_context& c, const reply& answer) {
    if (answer.what == outcome::unknown ||
        (answer.what == outcome::answered && (answer.error == server_error::session_expired ||
                                              answer.error == server_error::session_moved))) {
        renamed_.change().unsure = true;  // place: rename_is_unsure
        // What an earlier rename was found out by says nothing of this one.
        if (attempt_->verified_on != 0) attempt_.change().verified_on = 0;
        return park(c, answer);
    }
    if (answer.what != outcome::answered) return park(c, answer);
    switch (answer.error) {
        case server_error::ok: return take_new_name(c);
        case server_error::no_node: renamed_.reset(); return on_own_znode_gone(c);
        case server_error::bad_version:  // heeded first, then tried again
            return on_own_znode_changed(c);
        case server_error::no_auth:
            return end_rename(c, error{errc::no_permission, "no permission to rename " + znode()});
        case server_error::quota_exceeded: return end_rename(c, quota_exceeded(folder()));
        default: return park(c, answer);
    }
}

// A rename whose answer was lost may commit late, as a create may (docs/why/mutex.md, 2.): a server can have it still, and
// send it on behind whatever we ask now. It takes the version of our znode as it knew it: once that has changed
// it has not been carried out and never will be. So it is found out by a write of our own.
void acquisition::on_fenced(acquisition_context& c, const reply& answer) {
    if (answer.what != outcome::answered) return park(c, answer);
    switch (answer.error) {
        case server_error::ok:
            renamed_.change().unsure = false;
            version_ = answer.stat.version;
            return;
        case server_error::bad_version:
            renamed_.change().unsure = false;
            return on_own_znode_changed(c);
        case server_error::
            no_node:  // it was carried out, or somebody removed our znode: a list tells
        case server_error::no_auth: attempt_.change().verified_on = answer.connection; return;
        default: return park(c, answer);
    }
}

void acquisition::look_for_new_name(acquisition_context& c, const reply& answer) {
    if (answer.connection != attempt_->verified_on) return;  // once more from the start
    const auto stands = [&answer](const std::string& name) {
        return std::find(answer.children.begin(), answer.children.end(), name) !=
               answer.children.end();
    };
    renamed_.change().unsure = false;
    if (stands(renamed_->name)) return take_new_name(c);
    if (!stands(name_.str())) {
        renamed_.reset();
        on_own_znode_gone(c);
    }
}

void acquisition::take_new_name(acquisition_context& c) {
    drop_own_watch(c);
    watching_own_.reset();  // of the old name
    name_ = renamed_->name;
    if (const auto now = parse_contender(renamed_->name)) settings_.wants.kind = now->wants.kind;
    version_ = 0;
    end_rename(c, std::nullopt);
}

void acquisition::end_rename(acquisition_context& c, std::optional<error> refused) {
    renamed_.reset();
    if (!granted_) {
        // place: new_place_is_listed
        listed_on_ = 0;  // who is in the way of its new place
        if (refused) fail(c, *refused);
        return;
    }
    auto& token = hold_.change().token;
    if (!refused) token = fencing_token{token.zxid(), token.counter() + 1};
    if (aim_ == aim::hold) c.tell(renamed{token, znode(), std::move(refused)});
}

}  // namespace turnstile::core
