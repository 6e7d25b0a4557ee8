// SPDX-License-Identifier: Apache-2.0
// standard_streams: replaces the standard streams that the caller has closed.
#pragma once

namespace turnstile::cli {

// Opens descriptors 0, 1 and 2 if they are closed, so that no pipe or socket of this program gets their numbers. Reads
// and writes then fail as on a closed stream. Call this before anything else.
void reserve_standard_streams() noexcept;

// Returns false if output could not be written, for example because the disk is full or the stream is closed.
[[nodiscard]] bool flush_output() noexcept;

}  // namespace turnstile::cli
