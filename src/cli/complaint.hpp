// SPDX-License-Identifier: Apache-2.0
// complain: prints an error as one line on stderr.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace turnstile::cli {

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
