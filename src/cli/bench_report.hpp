// SPDX-License-Identifier: Apache-2.0
// bench_report: prints the results of `turnstile bench`.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "cli/bench_measure.hpp"

namespace turnstile::cli {

struct bench_report {
    std::string path;
    int clients = 0;
    std::int64_t received = 0;  // packets that the servers received; 0: they do not report it
    bench_samples samples;
};

[[nodiscard]] std::string bench_text(bench_report report);
[[nodiscard]] std::string bench_json(bench_report report);

}  // namespace turnstile::cli
