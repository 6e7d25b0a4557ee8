// SPDX-License-Identifier: Apache-2.0
// contender_ahead: the claims of the nearest contender ahead of a waiter, for the error of a wait that ends by its
// deadline. They come with the get that sets the watch on that contender's znode, and cost no request.
//
// A value, and a pure function. Thread safety: none.
#pragma once

#include <cstdint>
#include <string>

#include "core/seam/seam.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile::core {

// "web1, pid 12, label \"orders\", since 2026-11-21T04:38:36Z", as far as claimed. Empty for a contender of another
// library, which claims nothing. At most some hundred bytes, all printable.
[[nodiscard]] std::string text_of_claims(const contender_metadata& claimed, bool with_thread);

struct contender_ahead {
    std::string claims;   // text_of_claims(); a text, because very many waiters store it
    bool is_own = false;  // a contender of the same session

    // From the answer to a get of the znode of the contender ahead.
    [[nodiscard]] static contender_ahead of(const reply& answer, std::int64_t session);
    friend bool operator==(const contender_ahead&, const contender_ahead&) = default;
};

}  // namespace turnstile::core
