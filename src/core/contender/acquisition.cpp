// SPDX-License-Identifier: Apache-2.0
#include "core/contender/acquisition.hpp"

#include <algorithm>
#include <utility>

#include "base/percent.hpp"
#include "core/queue/contender_name.hpp"

// Events, and leaving. acquisition_enter.cpp has the way into the queue, acquisition_queue.cpp the
// place in it.
namespace turnstile::core {

namespace {

// A remove that the servers refuse for a reason that may pass (too busy, ...) is tried so often.
constexpr int k_most_refused_removals = 16;

}  // namespace

acquisition acquisition::leftover(const std::string& folder, const std::string& name) {
    acquisition made{{folder, {}, attempt::wait, on_session_loss::fail}};
    made.place_ = place::mine;
    made.aim_ = aim::leave;
    made.told_ = true;
    made.name_ = name;
    return made;
}

void acquisition::step(acquisition_context& c) {
    if (over_) return;
    if (aim_ == aim::leave) {
        step_leave(c);
    } else if (c.attached() && !parked_) {
        step_hold(c);
    }
}

void acquisition::step_hold(acquisition_context& c) {
    switch (place_) {
        case place::none:
            if (parents_->creating.empty()) create(c);
            return;
        case place::asked: return;
        case place::unsure: resolve(c); return;
        case place::mine:
            if (granted_) return step_granted(c);
            if (!renamed_->name.empty()) return step_renaming(c);
            if (listing_ || questions_->reading_floor || beside_->reading_limit ||
                !beside_->asking_czxid.empty())
                return;
            if (listed_on_ != c.connection()) {  // place: list_of_this_connection
                // Somebody may have written into our znode since, and a grant must not outlast that.
                if (!seen(c)) look_at_own_znode(c);
                list(c);
            } else if (first_) {
                grant_if_certain(c);
                if (granted_) step_granted(c);
            } else {
                probe_awaited(c);
            }
            return;
    }
}

void acquisition::step_leave(acquisition_context& c) {
    const bool removes = may_be_removed(c);  // place: removal_is_possible
    if (removes && goes_with_others()) return remove_with_others(c);
    // place: leaver_stops_watching
    drop_awaited(c);
    // place: nothing_to_remove
    if (place_ == place::none && parents_->creating.empty()) {
        drop_own_watch(c);
        over_ = true;
        c.tell(gone{});
        return;
    }
    if (!c.attached() || parked_) return;
    if (place_ == place::unsure || renamed_->unsure) return resolve(c);
    if (removes) removing_ = c.submit(removal());
}

bool acquisition::may_be_removed(const acquisition_context& c) const {
    return place_ == place::mine && c.attached() && !parked_ && !renamed_->unsure && !removing_ &&
           !renamed_->renaming && !mark_->writing;
}

void acquisition::remove_with_others(acquisition_context& c) {
    std::vector<std::string> paths;
    // place: watches_go_with_znode
    for (const auto& one : std::exchange(awaited_, {})) paths.push_back(one.path(folder()));
    removing_ = c.remove(znode(), paths);
}

void acquisition::on_reply(acquisition_context& c, const reply& answer) {
    const auto is = [&answer](pending_ticket& expected) { return expected.answered_by(answer); };
    if (is(listing_)) {
        on_listed(c, answer);
    } else if (is(watching_own_)) {
        on_own_watched(c, answer);
    } else if (is(removing_)) {
        on_removed(c, answer);
    } else if (!answers_something_cold(c, answer)) {
        for (auto& one : awaited_) {
            if (!is(one.probing)) continue;
            on_probed(c, one, answer);  // which may drop it
            break;
        }
    }
    step(c);
    if (questions_.changed() && *questions_ == questions{}) questions_.reset();
}

// What few acquisitions ask for, or none for long.
bool acquisition::answers_something_cold(acquisition_context& c, const reply& answer) {
    const auto is = [&answer](auto& group,
                              pending_ticket std::decay_t<decltype(*group)>::*expected) {
        return (*group).*expected == pending_ticket{answer.id} &&
               (group.change().*expected).answered_by(answer);
    };
    if (is(attempt_, &attempted::creating)) {
        on_created(c, answer);
    } else if (is(questions_, &questions::looking)) {
        on_own_seen(c, answer);
    } else if (is(questions_, &questions::reading_floor)) {
        on_floor(c, answer);
    } else if (is(questions_, &questions::touching)) {
        on_touched(c, answer);
    } else if (is(attempt_, &attempted::verifying)) {
        on_verified(c, answer);
    } else if (is(attempt_, &attempted::locating)) {
        on_located(c, answer);
    } else if (is(beside_, &beside_the_list::reading_limit)) {
        on_limit(c, answer);
    } else if (is(beside_, &beside_the_list::settling)) {
        // The event of the folder's watch has told, or somebody else was faster.
    } else if (is(renamed_, &new_name::renaming)) {
        on_renamed(c, answer);
    } else if (hold_->behind.listing == pending_ticket{answer.id} &&
               hold_.change().behind.listing.answered_by(answer)) {
        on_contenders_listed(c, answer);
    } else if (is(mark_, &crash_mark::reading)) {
        on_mark_read(c, answer);
    } else if (is(mark_, &crash_mark::writing)) {
        on_mark_written(c, answer);
    } else if (!parents_->creating.empty() &&
               std::erase(parents_.change().creating, answer.id) > 0) {
        on_parent(c, answer);
    } else if (beside_->asking_czxid.contains(answer.id)) {
        on_tied(c, answer, beside_.change().asking_czxid.extract(answer.id).mapped());
    } else {
        return false;
    }
    return true;
}

void acquisition::on_watch(acquisition_context& c, const watch_event& event) {
    if (place_ != place::mine) return;
    const bool deleted = event.kind == watch_kind::deleted;  // place: watched_znode_deleted
    if (auto* awaited = awaited_.find(folder(), event.path)) {
        on_awaited(c, *awaited, event);
        step(c);
    } else if (event.path == folder()) {
        // Before its list is answered, it is the watch of another one of this session that fires.
        // place: arrival_behind_the_hold
        if (hold_->behind.on == event.connection) on_contended(c);
    } else if (event.path == znode()) {
        own_watched_on_ = 0;
        if (deleted) {  // place: own_znode_deleted
            own_interest_ = false;
            on_own_znode_gone(c);
        } else {
            watch_own_znode(c);
        }
    }
}

void acquisition::on_attached(acquisition_context& c) {
    parked_ = false;  // place: goes_on_when_attached
    step(c);
}

void acquisition::on_detached(acquisition_context& c) {
    if (holds()) c.tell(at_risk{});  // place: tells_at_risk
}

void acquisition::on_epoch_end(acquisition_context& c, const error& why) {
    if (!parents_->creating.empty()) parents_.change().creating.clear();
    parked_ = false;
    lose_place(c);  // place: place_ends_with_session
    if (aim_ == aim::hold) {
        if (granted_) {
            c.tell(lost{why});  // place: tells_session_lost
            aim_ = aim::leave;
        } else if (settings_.waiters == on_session_loss::fail) {
            fail(c, why);
            return;
        }
    }
    step(c);
}

void acquisition::on_lease_end(acquisition_context& c, const error& why) {
    if (holds()) revoke(c, why);  // place: lease_end_revokes
}

void acquisition::on_own_znode_gone(acquisition_context& c) {
    if (place_ != place::mine) return;
    if (!renamed_->name.empty()) return;  // most likely we have renamed it: the answer to that says
    lose_place(c);
    if (holds()) {
        c.tell(lost{error{errc::removed, "the znode of the hold on " + folder() +
                                             " was deleted by somebody else"}});
        aim_ = aim::leave;
    }
    step(c);
}

void acquisition::leave(acquisition_context& c, const error& why) {
    if (aim_ == aim::leave) return;
    if (granted_) {
        aim_ = aim::leave;
        step(c);
    } else {
        fail(c, why);
    }
}

void acquisition::revoke(acquisition_context& c, const error& why) {
    if (aim_ == aim::leave) return;
    if (granted_) {
        lost_ = true;
        c.tell(lost{why});
    }
    leave(c, why);
}

void acquisition::fail(acquisition_context& c, const error& why) {
    if (!std::exchange(told_, true)) c.tell(failed{why});
    aim_ = aim::leave;
    step(c);
}

// What goes with our znode in one transaction: the mark of a holder that is still told that it holds, and a
// floor for the next one.
operation acquisition::removal() const {
    if (!takes_its_mark() && !raises_the_floor()) return remove_op{znode()};
    multi_op all;
    all.parts.emplace_back(remove_op{znode()});
    if (takes_its_mark()) all.parts.emplace_back(remove_op{lock_mark_path(folder())});
    if (raises_the_floor()) {
        // place: raised_floor
        const auto text = floor_text(family(settings_.wants.kind), name_.sequence().value_or(0));
        // place: write_of_the_floor
        all.parts.emplace_back(set_op{folder(), text, *folder_version_});
    }
    return all;
}

// Whoever queues behind a hold, or behind one who has nobody ahead, waits for its end: that goes at once. So does
// what takes more along than a znode.
bool acquisition::goes_with_others() const {
    return !granted_ && !first_ && !takes_its_mark();  // place: goes_with_others
}

// The mark is not there, may not be removed, or has children; the folder's data is not as it was, or not ours to
// change. Then our znode goes without.
bool acquisition::refuses_the_rest(const reply& answer) {
    if (answer.error == server_error::ok || answer.parts.size() < 2) return false;
    if (answer.parts.front() != server_error::ok) return false;
    if (takes_its_mark() && (answer.parts[1] != server_error::ok || !raises_the_floor())) {
        mark_.change().state = mark_state::absent;
    } else {
        folder_version_.reset();  // place: floor_was_refused
    }
    return true;
}

void acquisition::on_removed(acquisition_context& c, const reply& answer) {
    if (answer.what != outcome::answered) return park(c, answer);  // place: lost_removal
    if (refuses_the_rest(answer)) return;
    switch (answer.error) {
        case server_error::ok: drop_contenders_watch(c, removed_by::us); return lose_place(c);
        case server_error::no_node: return lose_place(c);  // place: removed_already
        case server_error::session_expired:
        case server_error::session_moved:
        case server_error::not_read_only: return park(c, answer);
        case server_error::no_auth: break;
        default:
            if (++refused_removals_ < k_most_refused_removals) return park(c, answer);
    }
    parked_ = true;
    c.replace_session("the servers refuse to remove " + znode());
}

void acquisition::lose_place(acquisition_context& c) {
    drop_awaited(c);
    drop_own_watch(c);
    drop_contenders_watch(c, removed_by::others);
    place_ = place::none;
    refused_removals_ = 0;
    name_ = {};
    czxid_ = 0;
    version_ = 0;
    for (auto* request : {&listing_, &watching_own_, &removing_}) request->reset();
    questions_.reset();
    attempt_.reset();  // place: attempt_ends
    beside_.reset();
    ahead_.reset();
    listed_on_ = 0;
    listed_ = 0;
    folder_version_.reset();
    first_ = false;
    handed_over_ = false;
    ties_ = false;
    waited_ = false;
    untold_ = false;
    renamed_.reset();
    mark_.reset();
    // place: order_ends_with_znode
    if (hold_->asked) hold_.change().asked.reset();  // the order was for the znode that is gone
}

void acquisition::drop_awaited(acquisition_context& c) {
    for (const auto& one : awaited_) c.unwatch(one.path(folder()));  // place: awaited_is_unwatched
    awaited_.clear();
}

void acquisition::drop_own_watch(acquisition_context& c) {
    if (own_interest_) c.unwatch(znode());
    own_interest_ = false;
    own_watched_on_ = 0;
}

void acquisition::park(acquisition_context& c, const reply& answer) {
    // A late answer of an earlier connection says nothing about this one.
    if (c.attached() && answer.connection < c.connection()) return;  // place: late_answer
    parked_ = true;
    c.retry_later();
}

bool acquisition::needs_confirmation() const noexcept {
    if (place_ != place::mine || aim_ != aim::hold) return false;
    return granted_ || first_ || questions_->reading_floor || ahead_ == 1U;
}

bool acquisition::awaits_lease() const noexcept {
    return place_ == place::mine && waits() && (first_ || questions_->reading_floor);
}

std::string acquisition::data() const {
    if (!settings_.data_names_folder) return settings_.data;
    auto made = settings_.data.str() + " resource=";
    base::append_percent_escaped(made, folder());
    return made;
}

std::size_t acquisition::owned_bytes() const {
    return over_ ? 0 : contender_bytes(folder(), settings_.wants);
}

std::size_t contender_bytes(const std::string& folder, const claim& wants) {
    constexpr std::size_t k_length_field = 4;
    return folder.size() + 1 + contender_size(wants) + k_length_field;
}

}  // namespace turnstile::core
