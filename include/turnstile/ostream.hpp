// SPDX-License-Identifier: Apache-2.0
// operator<<: tokens, errors, states and roles on streams, by text_of (turnstile/text.hpp).
//
//     std::cerr << hold.error() << '\n';
#pragma once

#include <ostream>

#include "turnstile/text.hpp"

namespace turnstile {

template <has_text V>
std::ostream& operator<<(std::ostream& out, const V& value) {
    return out << text_of(value);
}

}  // namespace turnstile
