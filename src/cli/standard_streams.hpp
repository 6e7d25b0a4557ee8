// SPDX-License-Identifier: Apache-2.0
// standard_streams: replaces the standard streams that the caller has closed, flushes the output, and prints errors.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace turnstile::cli {

// Opens descriptors 0, 1 and 2 if they are closed, so that no pipe or socket of this program gets their numbers. Reads
// and writes then fail as on a closed stream. Call this before anything else.
void reserve_standard_streams() noexcept;

// Returns false if output could not be written, for example because the disk is full or the stream is closed.
[[nodiscard]] bool flush_output() noexcept;

// Prints "turnstile: " and the sentence, with unprintable characters replaced. Returns `code`. If stderr accepts
// nothing for a second (a terminal that a person stopped by Ctrl-S, a full pipe without a reader), drops the rest.
int complain(std::string_view sentence, int code = 0);

// Prints the sentence as complain() does, but never waits for stderr, because the caller holds a lock or is about to
// get a lock. Drops the text that stderr does not accept at once.
void mention(std::string_view sentence);

// Returns a message for a failure of the system. If memory or threads have run out, the message names the limit to
// raise.
[[nodiscard]] std::string explanation_of(const std::system_error& failure);

}  // namespace turnstile::cli
