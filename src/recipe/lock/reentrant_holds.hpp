// SPDX-License-Identifier: Apache-2.0
// reentrant_holds: makes guards that share the hold of one owner, by the rules of owner_table.
//
// Thread safety: all members from any thread. The guards keep this object alive.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/mutex.hpp"
#include "recipe/lock/owner_table.hpp"
#include "turnstile/callback.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/owner.hpp"

namespace turnstile::detail {

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
