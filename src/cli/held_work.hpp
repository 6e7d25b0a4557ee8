// SPDX-License-Identifier: Apache-2.0
// held_work: what `run` does while it holds, and the two ways to get there.
#pragma once

#include <functional>

#include "cli/run_options.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/guard.hpp"

namespace turnstile::cli {

// Runs under the hold and returns the exit code.
using held_work = std::function<int(guard& hold)>;

// Waits for the lock, does the work and gives the lock up. Returns the exit code; a lock that was not granted is
// one line on stderr.
[[nodiscard]] int work_under_lock(const client& servers, const run_options& options,
                                  acquire_options how, const held_work& work);

// The same if it is due (--once-per): a job_gate on the path. An exit code that is not zero is written down as a
// failure; the period has begun all the same.
[[nodiscard]] int work_once(const client& servers, const run_options& options, acquire_options how,
                            const held_work& work);

}  // namespace turnstile::cli
