// SPDX-License-Identifier: Apache-2.0
// report: what the demo prints when the runs are over.
#pragma once

#include <string>
#include <vector>

#include "checks.hpp"
#include "record.hpp"
#include "text.hpp"

namespace demo {

// One row a worker: grants, sales, longest wait, time of holding, what happened to it.
[[nodiscard]] std::string worker_table(const run_record& run, const terminal& out);

// "PASS  promise  numbers", one a line.
[[nodiscard]] std::string check_list(const std::vector<check>& checks, const terminal& out);

}  // namespace demo
