// SPDX-License-Identifier: Apache-2.0
// inner_error: makes the text of an error that quotes its cause. is_contender_gone() selects the errors after which
// another attempt may succeed.
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include "turnstile/error.hpp"

namespace turnstile::base {

// Returns the text about `inner` for the detail of an error with the code `outer`. If both errors have the same
// code and `inner` has a detail, returns only this detail: the outer error's message has the code's text already.
[[nodiscard]] inline std::string words_within(errc outer, const error& inner) {
    return inner == outer && !inner.detail().empty() ? inner.detail() : inner.message();
}

// Returns the error `why` with a detail that begins with `name`. `name`: the name of a lock or an ensemble.
[[nodiscard]] inline error named(const std::string& name, const error& why) {
    return {why.code(), why.detail().empty() ? name : name + ": " + why.detail()};
}

// True if the contender has ended although its caller did not give it up: it excludes no other contender any more, and
// another attempt may succeed.
[[nodiscard]] inline bool is_contender_gone(const error& why) noexcept {
    return why == errc::session_lost || why == errc::removed;
}

}  // namespace turnstile::base
