// SPDX-License-Identifier: Apache-2.0
// held_work: the work of `run` under a hold, and two functions that acquire the hold.
#pragma once

#include <functional>

#include "cli/run_options.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/guard.hpp"

namespace turnstile::cli {

// Runs under the hold and returns the exit code.
using held_work = std::function<int(guard& hold)>;

// Waits for the lock, does the work and releases the lock. Returns the exit code. Prints one line on stderr if the lock
// was not granted.
[[nodiscard]] int work_under_lock(const client& servers, const run_options& options,
                                  acquire_options how, const held_work& work);

// Like work_under_lock, but only if the job is due (--once-per), with a job_gate on the path. If the exit code is not
// zero, the gate records a failure. The period begins in either case.
[[nodiscard]] int work_once(const client& servers, const run_options& options, acquire_options how,
                            const held_work& work);

}  // namespace turnstile::cli
