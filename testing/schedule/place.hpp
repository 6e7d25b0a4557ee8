// SPDX-License-Identifier: Apache-2.0
// place: finds the source lines of addresses in this program by addr2line.
//
// Thread safety: any thread may call these functions, but not during a run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace turnstile::schedule {

// Returns for each return address its source lines, as "function at file:line": first the inlined functions, then their
// callers. An unknown address has none.
[[nodiscard]] std::map<std::uintptr_t, std::vector<std::string>> places_of(
    const std::vector<std::uintptr_t>& addresses);

// Returns the lines of one address as a single text.
[[nodiscard]] std::string place_of(std::uintptr_t address);

}  // namespace turnstile::schedule
