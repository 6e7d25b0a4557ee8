// SPDX-License-Identifier: Apache-2.0
// owner: what a lock belongs to, where that matters: a thread, or a flow of work that moves between
// threads.
//
//     turnstile::owner job = turnstile::owner::make();
//     auto outer = orders.acquire({}, job);                 // on one thread
//     pool.submit([&, job] { auto inner = orders.acquire({}, job); ship(); });   // the same owner
//
// An owner is one flow of control: two acquisitions of the same lock by one owner at the same time make
// no sense (the second is refused), one inside the other does.
//
// Thread safety: a value; as safe as an integer.
#pragma once

#include "turnstile/language.hpp"

#include <compare>
#include <cstdint>
#include <string>

#include "turnstile/export.hpp"

namespace turnstile {

class owner {
public:
    // The thread that asks. A thread that ended is never taken for another one: these numbers are
    // counted by the library, the system's are used again.
    [[nodiscard]] TURNSTILE_EXPORT static owner calling_thread() noexcept;
    // A new one that no thread is: any code that has a copy acts for it.
    [[nodiscard]] TURNSTILE_EXPORT static owner make() noexcept;

    // True for a thread's own, in which case only that thread may act for it.
    [[nodiscard]] bool is_thread() const noexcept { return kind_ == kind::thread; }
    // "thread 3" or "owner 7": numbers within this process, for messages.
    [[nodiscard]] TURNSTILE_EXPORT std::string to_string() const;

    friend auto operator<=>(const owner&, const owner&) noexcept = default;

private:
    enum class kind : std::uint8_t { thread, token };
    constexpr owner(kind sort, std::uint64_t number) noexcept : kind_{sort}, number_{number} {}

    kind kind_;
    std::uint64_t number_;
};

}  // namespace turnstile
