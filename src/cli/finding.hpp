// SPDX-License-Identifier: Apache-2.0
// finding: a result of `turnstile doctor`, with advice.
//
// Thread safety: a value.
#pragma once

#include <string>
#include <vector>

namespace turnstile::cli {

// problem: locks do not work, or are unsafe. warning: locks work worse than they could. note: information only.
enum class severity { problem, warning, note };

[[nodiscard]] inline const char* to_string(severity weight) noexcept {
    switch (weight) {
        case severity::problem: return "problem";
        case severity::warning: return "warning";
        case severity::note: break;
    }
    return "note";
}

struct finding {
    severity weight = severity::note;
    std::string code;     // for programs: "server_down"
    std::string subject;  // a server, a path, a setting
    std::string text;
    std::string advice;
};

using findings = std::vector<finding>;

}  // namespace turnstile::cli
