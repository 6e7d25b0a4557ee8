// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include "queue_rule_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (const auto violation = turnstile::fuzz::check_queue_rule(data, size); !violation.empty()) {
        std::fprintf(stderr, "%s\n", violation.c_str());
        std::abort();
    }
    return 0;
}
