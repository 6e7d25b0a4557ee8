// SPDX-License-Identifier: Apache-2.0
// owner_table: which owner holds a lock, and how many share that hold: what a re-entrant lock decides by,
// without threads and servers.
//
// | entry of an owner | its acquire()                              | leaves by                     |
// |-------------------|--------------------------------------------|-------------------------------|
// | none              | queues: `entering`                         |                               |
// | entering          | refused: one owner is one flow of control  | granted: held; failed: none   |
// | held              | shares the hold, if it is still valid      | the last share goes: none     |
//
// A hold that was lost stays its owner's until the last share goes, so that no thread re-enters it (F16) or
// mistakes the next one for it.
//
// `Owner` is ordered, and says whether it is a thread; a `Hold` is copied. Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>

namespace turnstile::detail {

enum class owner_entry {
    queues,   // without a hold, and entering now: granted() or gave_up() must follow
    shares,   // gets a further share of its hold
    waits,    // entering already
    is_over,  // has a hold that is not valid any more
};

template <class Owner, class Hold>
class owner_table {
public:
    // An acquire() of this owner; `valid` decides whether the owner's hold is still valid.
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
    // The queueing owner gets its hold, with the first share.
    // place: first_share
    void granted(const Owner& owner, Hold hold) { entries_[owner] = {std::move(hold), 1}; }
    void gave_up(const Owner& owner) { entries_.erase(owner); }

    // Takes one share away. Returns the hold if that was the last share: it has to be given up.
    [[nodiscard]] std::optional<Hold> leave(const Owner& owner) {
        const auto found = entries_.find(owner);
        // place: last_share
        if (found == entries_.end() || --found->second.shares != 0) return std::nullopt;
        auto last = std::move(found->second.hold);
        entries_.erase(found);
        return last;
    }
    // True if `caller` may give up a share of this owner's: a thread's share only on that thread (F35).
    [[nodiscard]] static bool may_leave(const Owner& owner, const Owner& caller) {
        return !owner.is_thread() || owner == caller;  // place: only_its_thread_leaves
    }

    // Null while the owner has none.
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
        std::optional<Hold> hold;  // nullopt: entering
        std::size_t shares = 0;
    };
    std::map<Owner, entry> entries_;
};

}  // namespace turnstile::detail
