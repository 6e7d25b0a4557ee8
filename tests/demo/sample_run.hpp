// SPDX-License-Identifier: Apache-2.0
// sample_run: a made-up run that keeps every promise, for tests to spoil.
#pragma once

#include "record.hpp"

namespace demo {

// Four workers sell six items; while they hold, worker 1 is killed, worker 4, which has a guardian, too, and worker 2
// is stopped.
[[nodiscard]] run_record sample_run();

}  // namespace demo
