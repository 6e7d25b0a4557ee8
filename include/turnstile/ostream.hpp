// SPDX-License-Identifier: Apache-2.0
// operator<<: prints tokens, errors, states and roles on streams, as text_of() (turnstile/text.hpp) writes them.
//
//     std::cerr << hold.error() << '\n';
//
// Thread safety: the same as the stream's.
#pragma once

#include <ostream>

#include "turnstile/text.hpp"

namespace turnstile {

// Prints the text of `value` on the stream `out`.
template <has_text V>
std::ostream& operator<<(std::ostream& out, const V& value) {
    return out << text_of(value);
}

}  // namespace turnstile
