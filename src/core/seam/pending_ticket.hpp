// SPDX-License-Identifier: Apache-2.0
// pending_ticket: the ticket of a request in progress, or none. It takes half the memory of an optional, since no
// request has the ticket 0.
//
// Thread safety: none, a value.
#pragma once

#include "core/seam/seam.hpp"

namespace turnstile::core {

class pending_ticket {
public:
    constexpr pending_ticket() noexcept = default;
    constexpr pending_ticket(ticket id) noexcept
        : id_{id} {}  // NOLINT: reads as `listing_ = c.list(folder)`

    [[nodiscard]] explicit constexpr operator bool() const noexcept { return id_ != ticket{}; }
    [[nodiscard]] constexpr bool is(ticket id) const noexcept {
        return id_ == id && id_ != ticket{};
    }
    // If `answer` is the reply to the request, forgets the ticket and returns true. Otherwise changes nothing.
    constexpr bool take_answer(const reply& answer) noexcept {
        if (id_ != answer.id || id_ == ticket{}) return false;
        id_ = {};
        return true;
    }
    constexpr void reset() noexcept { id_ = {}; }

    friend constexpr bool operator==(const pending_ticket&, const pending_ticket&) = default;

private:
    ticket id_{};
};

}  // namespace turnstile::core
