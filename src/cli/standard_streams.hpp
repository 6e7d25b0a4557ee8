// SPDX-License-Identifier: Apache-2.0
// standard_streams: input, output and errors, as a careless caller may have left them.
#pragma once

namespace turnstile::cli {

// Opens whichever of descriptors 0, 1 and 2 is closed, so that no pipe or socket of ours gets its number. What is
// opened refuses what the stream is for, as a closed one would. Call it first of all.
void reserve_standard_streams() noexcept;

// Whether all that was printed has been taken. False for a full disk, a closed stream.
[[nodiscard]] bool flush_output() noexcept;

}  // namespace turnstile::cli
