// SPDX-License-Identifier: Apache-2.0
#include "base/out_of_memory.hpp"

#include <array>
#include <string_view>

#include "support/last_words.hpp"

namespace turnstile::base {

void end_out_of_memory(const char* place) noexcept {
    support::abort_with(std::array<std::string_view, 3>{
        "turnstile: out of memory in ", place,
        ": the process ends, so that its sessions expire and its locks become free\n"});
}

}  // namespace turnstile::base
