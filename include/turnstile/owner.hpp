// SPDX-License-Identifier: Apache-2.0
// owner: identifies the owner of a hold on a recursive_mutex: a thread, or a task that moves between threads.
//
//     turnstile::owner job = turnstile::owner::make();
//     auto outer = orders.acquire({}, job);                 // on one thread
//     pool.submit([&, job] { auto inner = orders.acquire({}, job); ship(); });   // the same owner
//
// An owner is a thread, or one task, whose steps run one after the other. It may acquire a lock again while it holds
// the same lock. But an owner cannot wait for the same lock in two calls at the same time; the second call fails with
// `would_deadlock`.
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
    // Returns the owner of the calling thread. The library numbers the threads itself, because the system gives the
    // number of an ended thread to a later thread.
    [[nodiscard]] TURNSTILE_EXPORT static owner calling_thread() noexcept;
    // Returns a new owner that is not bound to a thread. Any code that has a copy may act as this owner.
    [[nodiscard]] TURNSTILE_EXPORT static owner make() noexcept;

    // Returns true if the owner is a thread. Only that thread may act as this owner.
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
