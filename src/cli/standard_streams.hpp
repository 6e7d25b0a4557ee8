// SPDX-License-Identifier: Apache-2.0
// standard_streams: repairs input, output and errors that the caller has closed.
#pragma once

namespace turnstile::cli {

// Opens descriptors 0, 1 and 2 if they are closed, so that no pipe or socket of this program gets their numbers. Reads
// and writes fail as on a closed stream. Call it first of all.
void reserve_standard_streams() noexcept;

// True if all output was written. False for a full disk or a closed stream.
[[nodiscard]] bool flush_output() noexcept;

}  // namespace turnstile::cli
