// SPDX-License-Identifier: Apache-2.0
// operator<<: prints tokens, errors, states and roles on streams, with the text of text_of() (turnstile/text.hpp).
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
