// SPDX-License-Identifier: Apache-2.0
// sample_run: a made-up run that keeps every promise, for tests to spoil.
#pragma once

#include "record.hpp"

namespace demo {

// Three workers sell six items; worker 1 is killed and worker 2 is stopped while holding.
[[nodiscard]] run_record sample_run();

}  // namespace demo
