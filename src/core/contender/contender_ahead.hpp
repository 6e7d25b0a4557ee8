// SPDX-License-Identifier: Apache-2.0
// contender_ahead: the text in which the nearest contender ahead of a waiter describes itself: its host, its process,
// its label. If the waiter's deadline passes, the error contains this text. The waiter gets the text with the answer to
// the request that sets its watch on that contender's znode. So the text costs no further request.
//
// Thread safety: none, a value and a pure function.
#pragma once

#include <cstdint>
#include <string>

#include "core/seam/seam.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile::core {

// Returns a text like "web1, pid 12, label \"orders\", since 2026-11-21T04:38:36Z". `claimed`: what a contender wrote
// about itself into its znode, which may be false. A contender of another library writes nothing about itself; then the
// text is empty. The text has at most a few hundred bytes, all printable.
[[nodiscard]] std::string text_of_claims(const contender_metadata& claimed, bool with_thread);

struct contender_ahead {
    std::string claims;   // text_of_claims(); only the text, because very many waiters store it
    bool is_own = false;  // true: a contender of the same session

    // Makes a contender_ahead from the answer to a get of the znode of the contender ahead. `session`: the id of our
    // session.
    [[nodiscard]] static contender_ahead of(const reply& answer, std::int64_t session);
    friend bool operator==(const contender_ahead&, const contender_ahead&) = default;
};

}  // namespace turnstile::core
