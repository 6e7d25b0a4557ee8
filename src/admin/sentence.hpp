// SPDX-License-Identifier: Apache-2.0
// sentence: what an error of the library says to a person, once.
//
// Thread safety: a pure function.
#pragma once

#include <string>

#include "turnstile/error.hpp"

namespace turnstile::admin {

// Its message is the code's text and then the detail. Of these codes the detail is a whole sentence, which says it again.
[[nodiscard]] inline std::string sentence_of(const error& failure) {
    if (failure.detail().empty()) return failure.message();
    switch (failure.code()) {
        case errc::not_connected:
        case errc::no_permission:
        case errc::session_lost:
        case errc::interrupted:
        case errc::cancelled: return failure.detail();
        default: return failure.message();
    }
}

}  // namespace turnstile::admin
