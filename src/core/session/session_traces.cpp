// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_traces.hpp"

#include <cstdint>
#include <limits>

#include "base/check.hpp"

namespace turnstile::core {

namespace {

// The id under which sole_contender_memory registers for its folders' watches. No contender has this id.
constexpr contender_id k_watches_folders{std::numeric_limits<std::uint64_t>::max()};

}  // namespace

// ---- sessions at the servers (epochs), and their connections --------------------------------

void session_traces::leave() noexcept {
    detach();
    epoch_.reset();
}

void session_traces::attach(session_basics& basics) {
    TURNSTILE_CHECK(epoch_);
    attached_ = true;
    for (const auto& path : epoch_->watches.take_given_back())
        basics.actions.emplace_back(forget_watches{path});
}

// ---- watches --------------------------------------------------------------------------------

void session_traces::watch(const std::string& path, contender_id id) {
    TURNSTILE_CHECK(epoch_);
    epoch_->watches.add(path, id);
}

// The servers drop a session's watches when it ends, so only watches of the present session are dropped here. A client
// can drop only all watches on a path at once. If a contender drops its watch on a folder's children while
// sole_contender_memory also watches the folder, the memory drops its watch, too. Otherwise the contender's watch would
// remain.
void session_traces::unwatch(const std::string& path, contender_id id, session_basics& basics) {
    if (!epoch_) return;
    if (epoch_->watches.remove(path, id)) return give_back(path, basics);
    if (id == k_watches_folders) return;
    epoch_->sole.give_up(path);
    give_back_forgotten(basics);
}

void session_traces::unwatch_gone(const std::string& path, contender_id id,
                                  session_basics& basics) {
    if (epoch_ && epoch_->watches.remove_unset(path, id)) give_back(path, basics);
}

void session_traces::give_back(const std::string& path, session_basics& basics) {
    if (attached_) {
        basics.actions.emplace_back(forget_watches{path});  // place: watch_given_back
    } else {
        epoch_->watches.give_back_later(path);  // place: watch_given_back_later
    }
}

// sole_contender_memory watches a folder's data, not its children. So an event of kind `children` comes from a
// contender's watch, and the memory keeps the folder.
std::vector<contender_id> session_traces::fired(const watch_event& event, session_basics& basics) {
    TURNSTILE_CHECK(epoch_);
    auto interested = epoch_->watches.fired(event);
    if (event.kind == watch_kind::children) return interested;
    epoch_->sole.forget(event.path);  // place: folder_event_ends_memory
    give_back_forgotten(basics);
    static_cast<void>(epoch_->watches.remove(event.path, k_watches_folders));
    return interested;
}

std::size_t session_traces::watched_paths() const noexcept {
    return epoch_ ? epoch_->watches.size() : 0;
}

std::size_t session_traces::watched_bytes() const noexcept {
    if (!epoch_) return 0;
    const auto& watches = epoch_->watches;
    return watches.bytes() + watches.size() * (chroot_ + k_length_field);
}

// ---- folders in which the next contender is perhaps the only one -----------------------------

bool session_traces::number_entered(const std::string& folder, contender_family of,
                                    std::int32_t number, session_basics& basics) {
    TURNSTILE_CHECK(epoch_);
    const bool is_worth_a_watch = epoch_->sole.entered(folder, of, number);
    give_back_forgotten(basics);
    return is_worth_a_watch;
}

void session_traces::number_probed(const std::string& folder, std::int32_t number,
                                   session_basics& basics) {
    TURNSTILE_CHECK(epoch_);
    epoch_->sole.probed(folder, number);
    give_back_forgotten(basics);
}

void session_traces::number_leaves(const std::string& folder, contender_family of,
                                   std::int32_t number, session_basics& basics) {
    TURNSTILE_CHECK(epoch_);
    epoch_->sole.leaves(folder, of, number);
    give_back_forgotten(basics);
}

void session_traces::folder_watch_sent(const std::string& folder, ticket request) {
    TURNSTILE_CHECK(epoch_);
    epoch_->sole.watch_sent(folder, request);
    epoch_->watches.add(folder, k_watches_folders);
}

void session_traces::folder_watch_answered(const std::string& folder, const reply& answer,
                                           session_basics& basics) {
    if (!epoch_) return;
    const bool is_set = answer.outcome == outcome::answered && answer.error == server_error::ok;
    epoch_->sole.watch_answered(folder, answer.id, is_set);
    give_back_forgotten(basics);
}

void session_traces::give_back_forgotten(session_basics& basics) {
    for (const auto& folder : epoch_->sole.take_forgotten())
        unwatch(folder, k_watches_folders, basics);
}

// ---- removals -------------------------------------------------------------------------------

void session_traces::remove_later(removal&& wanted) {
    TURNSTILE_CHECK(epoch_);
    auto& epoch = *epoch_;
    std::erase_if(wanted.watched, [&](const std::string& path) {
        const bool alone = epoch.watches.remove(path, wanted.contender);
        return !alone || epoch.removals.removes(path);
    });
    epoch.removals.add(std::move(wanted));
}

bool session_traces::has_removals(sending which) const noexcept {
    if (!attached_) return false;
    const auto& removals = epoch_->removals;
    return removals.ready() || (which == sending::all && !removals.empty());
}

std::vector<removal> session_traces::take_removals(session_basics& basics) {
    auto all = epoch_->removals.take();
    for (auto& removed : all) give_back_watches(removed, basics);
    return all;
}

// Drops the watches that only the removed contender needed. Skips znodes that this session is removing: the removal of
// a znode ends the watches on it.
void session_traces::give_back_watches(removal& removed, session_basics& basics) {
    for (auto& path : std::exchange(removed.watched, {}))
        if (!epoch_->removals.removes(path) && !epoch_->watches.contains(path))
            basics.actions.emplace_back(forget_watches{std::move(path)});
}

void session_traces::removals_go_on() {
    auto& epoch = *epoch_;
    epoch.removals.reattached();  // place: waiting_removals_go_on
}

// ---- creates whose answer was lost (abandoned_creates.hpp) ----------------------------------

void session_traces::abandon(const std::string& folder, const std::string& guid, time_point now,
                             duration timeout) {
    TURNSTILE_CHECK(epoch_);
    epoch_->abandoned.add(folder, guid, now, timeout);
}

std::vector<std::string> session_traces::found_abandoned(const std::string& folder,
                                                         const std::vector<std::string>& children) {
    TURNSTILE_CHECK(epoch_);
    return epoch_->abandoned.take(folder, children);
}

// Searches one folder at a time for znodes of creates whose answer was lost (abandoned_creates.hpp). The next search is
// due as soon as the present search is answered.
std::optional<time_point> session_traces::search_due() const {
    if (!attached_ || search_) return std::nullopt;
    return epoch_->abandoned.due();  // place: search_is_due
}

void session_traces::searched(const std::string& folder, const reply& answer) {
    if (search_ == answer.id) search_.reset();
    epoch_->abandoned.looked(folder, answer.sent);
}

}  // namespace turnstile::core
