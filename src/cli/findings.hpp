// SPDX-License-Identifier: Apache-2.0
// findings: the results of `turnstile doctor`, with advice. server_findings.cpp has the checks of servers and leases,
// findings.cpp all other checks.
//
// Thread safety: values; functions from any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/examination.hpp"

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

// Reads the state of this machine's clock from the kernel. Returns nothing if the kernel refuses (in a sandbox).
[[nodiscard]] std::optional<host_clock> read_host_clock();

// Returns all findings, problems first. Each cause comes before its effects.
[[nodiscard]] findings all_findings(const examination& seen);

// Returns the findings about the clocks of this machine and of the servers.
[[nodiscard]] findings clock_findings(const examination& seen);

// Returns the empty folders of free locks. They are normal: servers remove them later. Omits the folder in which doctor
// itself has tested its rights.
[[nodiscard]] std::vector<std::string> empty_folders(const examination& seen);

// server_findings() returns the findings about the servers' reports, and lease_findings() those about the client's
// settings. server_findings.cpp defines both.
[[nodiscard]] findings server_findings(const examination& seen);
[[nodiscard]] findings lease_findings(const examination& seen);

}  // namespace turnstile::cli
