// SPDX-License-Identifier: Apache-2.0
#include "cli/complaint.hpp"

#include <cstdio>

#include "cli/printable.hpp"

namespace turnstile::cli {

int complain(std::string_view sentence, int code) {
    std::fprintf(stderr, "turnstile: %s\n", printable(sentence).c_str());
    return code;
}

}  // namespace turnstile::cli
