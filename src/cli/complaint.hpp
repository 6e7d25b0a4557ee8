// SPDX-License-Identifier: Apache-2.0
// complain: prints an error as one line on stderr.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace turnstile::cli {

// Prints "turnstile: " and the sentence, made printable. Returns `code`.
int complain(std::string_view sentence, int code = 0);

// Returns a text for a failure of the system: what failed, and the limit to raise if memory or threads have run out.
[[nodiscard]] std::string explanation_of(const std::system_error& failure);

}  // namespace turnstile::cli
