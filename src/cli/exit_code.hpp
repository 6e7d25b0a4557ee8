// SPDX-License-Identifier: Apache-2.0
// exit_code: what `turnstile` ends with, the one table of the help text, the manual page and the docs.
#pragma once

#include <string_view>

#include "turnstile/error.hpp"

namespace turnstile::cli {

inline constexpr int k_success = 0;
inline constexpr int k_findings = 1;          // doctor: something is to be mended
inline constexpr int k_usage = 64;            // EX_USAGE
inline constexpr int k_no_server = 69;        // EX_UNAVAILABLE
inline constexpr int k_output = 74;           // EX_IOERR
inline constexpr int k_busy = 75;             // EX_TEMPFAIL: not granted in time
inline constexpr int k_lost = 76;             // the hold was over before the command was
inline constexpr int k_no_permission = 77;    // EX_NOPERM
inline constexpr int k_cannot_execute = 126;  // as a shell says it
inline constexpr int k_not_found = 127;       // as a shell says it
inline constexpr int k_signal_base = 128;     // plus the signal's number

// The code for a call of the library that failed.
[[nodiscard]] int exit_code_of(errc failure) noexcept;

// The code for a command that could not be started, from exec's errno.
[[nodiscard]] int exit_code_of_exec(int system_error) noexcept;

// The code for a command that ended with this wait status. A hold that was lost outranks it: `lost_code` then, never 0.
[[nodiscard]] int exit_code_of_command(int wait_status, bool hold_lost,
                                       int lost_code = k_lost) noexcept;

// The table, as the help text shows it.
[[nodiscard]] std::string_view exit_code_table() noexcept;

}  // namespace turnstile::cli
