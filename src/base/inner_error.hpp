// SPDX-License-Identifier: Apache-2.0
// inner_error: an error that another one's detail tells of, and an error of a part that has a name.
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include "turnstile/error.hpp"

namespace turnstile::base {

// What `inner` says in the detail of an error with the code `outer`, whose text is not told twice.
[[nodiscard]] inline std::string words_within(errc outer, const error& inner) {
    return inner == outer && !inner.detail().empty() ? inner.detail() : inner.message();
}

[[nodiscard]] inline error named(const std::string& name, const error& why) {
    return {why.code(), why.detail().empty() ? name : name + ": " + why.detail()};
}

}  // namespace turnstile::base
