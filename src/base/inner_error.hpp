// SPDX-License-Identifier: Apache-2.0
// inner_error: texts of errors that have another error as their cause.
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include "turnstile/error.hpp"

namespace turnstile::base {

// Returns the text about `inner` for the detail of an error with the code `outer`. If both errors have one code, the
// code's text is left out, because the outer error's message has that text already.
[[nodiscard]] inline std::string words_within(errc outer, const error& inner) {
    return inner == outer && !inner.detail().empty() ? inner.detail() : inner.message();
}

// Returns the error `why` with a detail that begins with `name`. `name`: the name of a lock or an ensemble.
[[nodiscard]] inline error named(const std::string& name, const error& why) {
    return {why.code(), why.detail().empty() ? name : name + ": " + why.detail()};
}

}  // namespace turnstile::base
