// SPDX-License-Identifier: Apache-2.0
// owner: the owner of a hold on a recursive_mutex: a thread, or a task that moves between threads.
//
//     turnstile::owner job = turnstile::owner::make();
//     auto outer = orders.acquire({}, job);                 // on one thread
//     pool.submit([&, job] { auto inner = orders.acquire({}, job); ship(); });   // the same owner
//
// An owner is a thread, or one task that runs in order. It may acquire a lock again while it holds the same lock. But
// one owner cannot wait for one lock in two calls at the same time; the second call is refused.
//
// Thread safety: a value, as safe as an integer.
#pragma once

#include "turnstile/language.hpp"

#include <compare>
#include <cstdint>
#include <string>

#include "turnstile/export.hpp"

namespace turnstile {

// An owner.
class owner {
public:
    // Returns the owner of the calling thread. The library counts threads itself, so a thread that has ended is never
    // confused with a later one (the system reuses its numbers).
    [[nodiscard]] TURNSTILE_EXPORT static owner calling_thread() noexcept;
    // Returns a new owner that is not bound to a thread. Any code that has a copy may act as this owner.
    [[nodiscard]] TURNSTILE_EXPORT static owner make() noexcept;

    // True for the owner of a thread. Only that thread may act for it.
    [[nodiscard]] bool is_thread() const noexcept { return kind_ == kind::thread; }
    // Returns "thread 3" or "owner 7", for messages. The numbers are unique in this process.
    [[nodiscard]] TURNSTILE_EXPORT std::string to_string() const;

    friend auto operator<=>(const owner&, const owner&) noexcept = default;

private:
    enum class kind : std::uint8_t { thread, token };
    constexpr owner(kind sort, std::uint64_t number) noexcept : kind_{sort}, number_{number} {}

    kind kind_;
    std::uint64_t number_;
};

}  // namespace turnstile
