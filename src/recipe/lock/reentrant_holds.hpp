// SPDX-License-Identifier: Apache-2.0
// reentrant_holds: guards that share one owner's hold, by the rules of owner_table.
//
// Thread safety: all members from any thread. Guards keep the table alive.
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

    // A guard that shares the owner's hold, or why there can be none. nullopt if the owner has no hold: then it is
    // `entering`, and entered() must follow.
    [[nodiscard]] std::optional<result<guard>> enter(owner identity,
                                                     const callback<void(const error&)>& on_lost);
    // The outcome of the call by an entering owner.
    [[nodiscard]] result<guard> entered(owner identity, result<guard>&& outcome,
                                        const callback<void(const error&)>& on_lost);
    void gave_up(owner identity) noexcept;  // the call could not even be started

    // The number of guards that share this owner's hold.
    [[nodiscard]] std::size_t count(owner identity) const;

private:
    class share;
    struct common;  // the state shared by the guards of one hold
    using table = owner_table<owner, std::shared_ptr<common>>;

    [[nodiscard]] result<guard> make_share(const std::shared_ptr<common>& of,
                                           const callback<void(const error&)>& on_lost);
    // The hold itself if this was its last share, otherwise an empty guard.
    [[nodiscard]] guard drop(const std::shared_ptr<common>& of) noexcept;

    const std::string path_;
    mutable base::mutex mutex_;
    table owners_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
