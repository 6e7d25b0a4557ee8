// SPDX-License-Identifier: Apache-2.0
// reentrant_holds: makes guards that share the hold of one owner, by the rules of owner_table.
//
// Thread safety: all members from any thread. The guards keep this object alive.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/mutex.hpp"
#include "turnstile/callback.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/owner.hpp"

namespace turnstile::detail {

enum class owner_entry {
    queues,   // has no hold, and enters the queue: granted() or gave_up() must follow
    shares,   // gets a further share of its hold
    waits,    // is entering the queue already
    is_over,  // has a hold that is not valid any more
};

// Which owner holds a lock, and the number of shares of each hold. Each successful acquire() of an owner takes one
// *share* of the owner's hold. The table makes the decisions of a re-entrant lock, without threads and servers.
//
// | state of an owner | an acquire() of this owner                 | the state changes to                         |
// |-------------------|--------------------------------------------|----------------------------------------------|
// | none              | queues for the lock                        | entering                                     |
// | entering          | is refused: one owner cannot wait twice    | held after a grant; none after a failed wait |
// | held              | shares the hold; is refused after its loss | none, when the last share ends               |
//
// The table keeps a lost hold until the hold's last share ends. So no acquire() can share the lost hold
// (docs/reference/failures.md, F16), or mistake the owner's next hold for the lost hold.
//
// `Owner` must have operators < and ==, and is_thread(). `Hold` must be copyable. Thread safety: none, a value.
template <class Owner, class Hold>
class owner_table {
public:
    // Called for an acquire() of this owner. Returns what the acquire() must do. `valid` decides whether the owner's
    // hold is still valid.
    template <class Valid>
    [[nodiscard]] owner_entry enter(const Owner& owner, Valid&& valid) {
        const auto [at, first] = entries_.try_emplace(owner);
        if (first) return owner_entry::queues;
        auto& mine = at->second;
        if (!mine.hold) return owner_entry::waits;
        if (!valid(*mine.hold)) return owner_entry::is_over;  // place: shared_hold_is_over
        ++mine.shares;
        return owner_entry::shares;
    }
    // Call this when the owner has been granted the lock for which it waited. The table stores the hold, and
    // counts one guard.
    // place: first_share
    void granted(const Owner& owner, Hold hold) { entries_[owner] = {std::move(hold), 1}; }
    void gave_up(const Owner& owner) { entries_.erase(owner); }

    // Call this when the owner releases one of the guards that share its hold. If that was the last guard, returns the
    // hold, which the caller must then give up.
    [[nodiscard]] std::optional<Hold> leave(const Owner& owner) {
        const auto found = entries_.find(owner);
        // place: last_share
        if (found == entries_.end() || --found->second.shares != 0) return std::nullopt;
        auto last = std::move(found->second.hold);
        entries_.erase(found);
        return last;
    }
    // True if `caller` may release a guard that belongs to `owner`. If `owner` is a thread, only that thread may do so
    // (failures.md, F35).
    [[nodiscard]] static bool may_leave(const Owner& owner, const Owner& caller) {
        return !owner.is_thread() || owner == caller;  // place: only_its_thread_leaves
    }

    // Returns the owner's hold; null if there is none.
    [[nodiscard]] const Hold* hold_of(const Owner& owner) const {
        const auto found = entries_.find(owner);
        return found == entries_.end() || !found->second.hold ? nullptr : &*found->second.hold;
    }
    [[nodiscard]] std::size_t count(const Owner& owner) const {
        const auto found = entries_.find(owner);
        return found == entries_.end() ? 0 : found->second.shares;
    }

private:
    struct entry {
        std::optional<Hold> hold;  // nothing: the owner is entering
        std::size_t shares = 0;
    };
    std::map<Owner, entry> entries_;
};

class reentrant_holds : public std::enable_shared_from_this<reentrant_holds> {
public:
    explicit reentrant_holds(std::string path) : path_{std::move(path)} {}

    // Returns a guard that shares the owner's hold, or the error why there can be none. Returns nothing if the owner
    // has no hold. The caller must then request the lock, and pass the outcome to entered().
    [[nodiscard]] std::optional<result<guard>> enter(owner identity,
                                                     const callback<void(const error&)>& on_lost);
    // Handles the outcome of an acquire() for which enter() has returned nothing.
    [[nodiscard]] result<guard> entered(owner identity, result<guard>&& outcome,
                                        const callback<void(const error&)>& on_lost);
    void gave_up(owner identity) noexcept;  // called if the call could not be started

    // Number of guards that share this owner's hold.
    [[nodiscard]] std::size_t count(owner identity) const;

private:
    class share;
    struct common;  // the state that the guards of one hold share
    using table = owner_table<owner, std::shared_ptr<common>>;

    [[nodiscard]] result<guard> make_share(const std::shared_ptr<common>& of,
                                           const callback<void(const error&)>& on_lost);
    // Removes one of the guards that share a hold. If that was the last guard, returns the hold, and otherwise an empty
    // guard.
    [[nodiscard]] guard drop(const std::shared_ptr<common>& of) noexcept;

    const std::string path_;
    mutable base::mutex mutex_;
    table owners_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
