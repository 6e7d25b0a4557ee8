// SPDX-License-Identifier: Apache-2.0
// contender_ahead: what the nearest contender ahead of a waiter claims of itself, for the error of a wait that ends by its
// deadline. It came with the get that sets the watch on that contender's znode: it costs no request.
//
// A value, and a pure function. Thread safety: none.
#pragma once

#include <cstdint>
#include <string>

#include "core/seam/seam.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile::core {

// "web1, pid 12, label \"orders\", since 2026-11-21T04:38:36Z", as far as it is claimed; empty for another library's
// contender, which claims nothing. Of some hundred bytes at most, all of them printable.
[[nodiscard]] std::string text_of_claims(const contender_metadata& claimed, bool with_thread);

struct contender_ahead {
    std::string claims;   // text_of_claims(): each of very many waiters keeps it
    bool is_own = false;  // of the same session

    // A get has answered with the znode of the contender ahead.
    [[nodiscard]] static contender_ahead of(const reply& answer, std::int64_t session);
    friend bool operator==(const contender_ahead&, const contender_ahead&) = default;
};

}  // namespace turnstile::core
