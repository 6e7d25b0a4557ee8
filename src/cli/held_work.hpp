// SPDX-License-Identifier: Apache-2.0
// held_work: acquires the lock for `turnstile run`, and does the work (usually the command) while the lock is held.
#pragma once

#include <functional>

#include "cli/run_options.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile::cli {

// The work that `turnstile run` does while it holds the lock. Returns the exit code.
using held_work = std::function<int(guard& hold)>;

// Acquires the lock, does the work and releases the lock. Returns the exit code. If the lock is not granted, prints one
// line on stderr.
[[nodiscard]] int work_under_lock(const client& servers, const run_options& options,
                                  acquire_options how, const held_work& work);

// Does the same as work_under_lock, but only if the job is due (--once-per). A job_gate on the path decides that. The
// gate records an exit code other than zero as a failure. The next period begins after a success and after a failure.
[[nodiscard]] int work_once(const client& servers, const run_options& options, acquire_options how,
                            const held_work& work);

// Returns the contenders at the path that wait in one queue with contenders of this kind.
[[nodiscard]] result<std::vector<contender>> queue_at(const client& servers,
                                                      const std::string& path, wanted_kind kind,
                                                      const query_options& limits);

}  // namespace turnstile::cli
