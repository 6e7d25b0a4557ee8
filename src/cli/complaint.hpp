// SPDX-License-Identifier: Apache-2.0
// complain: prints an error as one line on stderr.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace turnstile::cli {

// Prints "turnstile: " and the sentence, with unprintable characters replaced. Returns `code`.
int complain(std::string_view sentence, int code = 0);

// Returns a message for a failure of the system. If memory or threads have run out, the message names the limit to
// raise.
[[nodiscard]] std::string explanation_of(const std::system_error& failure);

}  // namespace turnstile::cli
