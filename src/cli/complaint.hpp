// SPDX-License-Identifier: Apache-2.0
// complain: prints an error as one line on stderr.
#pragma once

#include <string_view>

namespace turnstile::cli {

// Prints "turnstile: " and the sentence, made printable. Returns `code`.
int complain(std::string_view sentence, int code = 0);

}  // namespace turnstile::cli
