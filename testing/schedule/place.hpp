// SPDX-License-Identifier: Apache-2.0
// place: uses addr2line to find the source lines of addresses in this program.
//
// Thread safety: any thread may call all functions, outside of a run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace turnstile::schedule {

// Returns for each return address its source lines in the form "function at file:line". Inlined functions come first,
// and then their callers. An unknown address has no lines.
[[nodiscard]] std::map<std::uintptr_t, std::vector<std::string>> places_of(
    const std::vector<std::uintptr_t>& addresses);

// Returns the lines of one address as a single text.
[[nodiscard]] std::string place_of(std::uintptr_t address);

}  // namespace turnstile::schedule
