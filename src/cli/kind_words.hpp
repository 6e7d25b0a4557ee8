// SPDX-License-Identifier: Apache-2.0
// kind_words: an error about another kind of lock at a path, in the options of `turnstile run`. The library's text has
// the names of its classes.
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include "cli/run_options.hpp"
#include "turnstile/error.hpp"

namespace turnstile::cli {

// Returns the error's message. If a contender of another kind was in the way of a run of kind `wanted`, the message
// names the options of both kinds.
[[nodiscard]] std::string message_with_options(const error& failure, wanted_kind wanted);

}  // namespace turnstile::cli
