// SPDX-License-Identifier: Apache-2.0
// place: where addresses of this program are in its sources, by addr2line.
//
// Thread safety: all functions from any thread, in no run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace turnstile::schedule {

// Returns the source lines of return addresses: "function at file:line", with inlined functions first, then their
// callers; none if they are unknown.
[[nodiscard]] std::map<std::uintptr_t, std::vector<std::string>> places_of(
    const std::vector<std::uintptr_t>& addresses);

// Returns the lines of one address as a single text.
[[nodiscard]] std::string place_of(std::uintptr_t address);

}  // namespace turnstile::schedule
