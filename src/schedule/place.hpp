// SPDX-License-Identifier: Apache-2.0
// place: where an address of this program is in its sources.
#pragma once

#include <cstdint>
#include <string>

namespace turnstile::schedule {

// "function at file:line", by addr2line, with those that it was inlined into on lines of their own; empty if that is
// not known. Thread safety: from any thread, in no run.
[[nodiscard]] std::string place_of(std::uintptr_t address);

}  // namespace turnstile::schedule
