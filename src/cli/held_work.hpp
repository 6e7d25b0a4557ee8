// SPDX-License-Identifier: Apache-2.0
// held_work: acquires the hold of `run` and does the work under it.
#pragma once

#include <functional>

#include "cli/run_options.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/guard.hpp"

namespace turnstile::cli {

// The work under the hold. Returns the exit code.
using held_work = std::function<int(guard& hold)>;

// Acquires the lock, does the work and releases the lock. Returns the exit code. If the lock is not granted, prints one
// line on stderr.
[[nodiscard]] int work_under_lock(const client& servers, const run_options& options,
                                  acquire_options how, const held_work& work);

// Like work_under_lock, but only if the job is due (--once-per). A job_gate on the path decides that. An exit code
// other than zero is recorded as a failure. The next period begins in either case.
[[nodiscard]] int work_once(const client& servers, const run_options& options, acquire_options how,
                            const held_work& work);

}  // namespace turnstile::cli
