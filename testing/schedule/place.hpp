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

// Return addresses. Each with its lines, "function at file:line", first what was inlined there, then what it was inlined
// into; none if that is not known.
[[nodiscard]] std::map<std::uintptr_t, std::vector<std::string>> places_of(
    const std::vector<std::uintptr_t>& addresses);

// The lines of one, in one text.
[[nodiscard]] std::string place_of(std::uintptr_t address);

}  // namespace turnstile::schedule
