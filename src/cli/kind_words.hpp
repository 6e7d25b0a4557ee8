// SPDX-License-Identifier: Apache-2.0
// kind_words: an error about another kind of lock at a path, in the words of `turnstile run` and `turnstile elect`. The
// library's text names its classes and the option of its client.
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

// Returns the error's message. If a contender of another kind was in the way of an election, the message names no option
// of the library.
[[nodiscard]] std::string message_of_elect(const error& failure);

}  // namespace turnstile::cli
