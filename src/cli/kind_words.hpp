// SPDX-License-Identifier: Apache-2.0
// kind_words: rewrites the library's error about another kind of lock at a path. The library's text names its classes
// and an option of its client; the new text names options of `turnstile run`, or advises another path.
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include "cli/run_options.hpp"
#include "turnstile/error.hpp"

namespace turnstile::cli {

// Returns the error's message. If contenders of another kind prevented a run of kind `wanted`, the message names the
// options of both kinds.
[[nodiscard]] std::string message_with_options(const error& failure, wanted_kind wanted);

// Returns the error's message. If contenders of another kind prevented an election, the message advises another path
// and names no option of the library.
[[nodiscard]] std::string message_of_elect(const error& failure);

}  // namespace turnstile::cli
