// SPDX-License-Identifier: Apache-2.0
// Guarded writes: what a session does with the commits of its holds (guarded_write.hpp).
#include <optional>
#include <utility>

#include "core/session/session_context.hpp"

namespace turnstile::core {

void session_core::handle(const commit& what) {
    const auto found = acquisitions_.find(what.hold);
    const bool stands = found != acquisitions_.end() && found->second.value.holds() &&
                        !leaving_.contains(what.hold);
    if (!stands) {
        const error why =
            closing_ ? error{errc::closed}
                     : error{errc::not_held, "nothing was written: the hold was released or lost"};
        actions_.emplace_back(commit_answer{what.who, why});
        return;
    }
    // What somebody has written into the hold's znode is known before the answer, as for a confirmation.
    with(what.hold, [](acquisition& one, acquisition_context& c) { one.watch_own_znode(c); });
    writes_.try_emplace(what.hold);
    commits_.emplace(what.who, pending_commit{what.hold, what.deadline});
    if (what.deadline) deadlines_.emplace(*what.deadline, what.who);
    with_writes(what.hold, [&what](guarded_writes& some, write_context& c) {
        some.add(c, what.who, what.parts);
    });
}

// The hold has done with its znode, perhaps: commits may have waited for that.
void session_core::let_commits_proceed(acquisition_id hold) {
    const auto found = writes_.find(hold);
    if (writing_ == hold || found == writes_.end() || !found->second.waits()) return;
    with_writes(hold, [](guarded_writes& some, write_context& c) { some.proceed(c); });
}

// What the hold itself wants with its znode, or its release, has waited for the commits.
void session_core::let_hold_proceed(acquisition_id hold) {
    const auto found = writes_.find(hold);
    const bool done = found != writes_.end() && found->second.idle();
    if (done) writes_.erase(found);
    with(hold, [](acquisition& one, acquisition_context& c) { one.proceed(c); });
    if (!done) return;
    if (const auto later = leaving_.extract(hold)) handle(later.mapped());
}

void session_core::cancel_commit(acquisition_id who, const error& why) {
    with_writes(commits_.at(who).hold,
                [&](guarded_writes& some, write_context& c) { some.cancel(c, who, why); });
}

void session_core::told_commit(acquisition_id who, commit_outcome&& what) {
    const auto one = commits_.extract(who);
    if (!one) return;
    if (const auto& deadline = one.mapped().deadline) deadlines_.erase({*deadline, who});
    actions_.emplace_back(commit_answer{who, std::move(what)});
}

// A hold is released after its commits: only while its znode stands they can be found out about.
bool session_core::leaves_later(const leave& what) {
    if (!writes_.contains(what.who)) return false;
    const auto found = acquisitions_.find(what.who);
    if (found == acquisitions_.end() || !found->second.value.holds()) return false;
    leaving_.emplace(what.who, what);
    return true;
}

// Comes in the middle of a call of the hold, which must not be called again.
void session_core::lose_commits(acquisition_id hold, const error& why) {
    leaving_.erase(hold);
    const auto found = writes_.find(hold);
    if (found == writes_.end()) return;
    commit_context c{*this, hold};
    found->second.on_hold_over(c, why);
    if (found->second.idle() && writing_ != hold) writes_.erase(found);
}

void session_core::end_commits(const error& why) {
    with_all_writes([&why](guarded_writes& some, write_context& c) { some.on_epoch_end(c, why); });
}

}  // namespace turnstile::core
