// SPDX-License-Identifier: Apache-2.0
// exit_code: the exit codes of `turnstile`. The help text, the manual page and the docs have the same table.
#pragma once

#include <string_view>

#include "turnstile/error.hpp"

namespace turnstile::cli {

inline constexpr int k_success = 0;
inline constexpr int k_findings = 1;          // doctor: there are problems
inline constexpr int k_usage = 64;            // EX_USAGE
inline constexpr int k_no_server = 69;        // EX_UNAVAILABLE
inline constexpr int k_output = 74;           // EX_IOERR
inline constexpr int k_busy = 75;             // EX_TEMPFAIL: not granted in time
inline constexpr int k_lost = 76;             // the hold ended before the command
inline constexpr int k_no_permission = 77;    // EX_NOPERM
inline constexpr int k_cannot_execute = 126;  // the same code as a shell's
inline constexpr int k_not_found = 127;       // the same code as a shell's
inline constexpr int k_signal_base = 128;     // plus the signal's number

[[nodiscard]] int exit_code_of(errc failure) noexcept;

// Returns the code for a command that could not be started, from the errno of exec.
[[nodiscard]] int exit_code_of_exec(int system_error) noexcept;

// Returns `lost_code` if the hold was lost, otherwise the code for a command with this wait status.
[[nodiscard]] int exit_code_of_command(int wait_status, bool hold_lost,
                                       int lost_code = k_lost) noexcept;

[[nodiscard]] std::string_view exit_code_table() noexcept;

}  // namespace turnstile::cli
