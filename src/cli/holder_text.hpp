// SPDX-License-Identifier: Apache-2.0
// holder_text: describes the holder of a lock that `run --try` did not get.
//
// Thread safety: any thread may call this function.
#pragma once

#include <string>

#include "cli/run_options.hpp"
#include "turnstile/client.hpp"

namespace turnstile::cli {

// Returns the end of an error message, such as "; held by web1, pid 12, nightly, since 2026-11-21T04:38:36Z". With
// several paths, names each held path and its holder. Reads only the first contender of each path. Returns an empty
// text if the lock is free by now, or if no server answers in time. The text may contain any bytes of other clients.
[[nodiscard]] std::string holder_text(const client& servers, const run_options& options);

}  // namespace turnstile::cli
