// SPDX-License-Identifier: Apache-2.0
// status_pipe: the JSON lines that a command can read from TURNSTILE_STATUS_FD, and their pipe.
#pragma once

#include <string>
#include <string_view>

#include "support/descriptor.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"

namespace turnstile::cli {

// Returns a line such as {"event":"confirmed","valid_until":123}, with its newline. Times are in nanoseconds of
// CLOCK_BOOTTIME.
[[nodiscard]] std::string confirmed_line(boottime_clock::time_point valid_until);
[[nodiscard]] std::string at_risk_line(boottime_clock::time_point valid_until);
[[nodiscard]] std::string asked_line(const release_request& request);
[[nodiscard]] std::string lost_line(const error& why);

// The pipe whose reading end the command inherits (TURNSTILE_STATUS_FD).
class status_pipe {
public:
    // Throws std::system_error.
    status_pipe();

    // Returns the descriptor of the command's end of the pipe. The descriptor has the same number in the command.
    [[nodiscard]] int reader() const noexcept { return reader_.get(); }
    // Writes the whole line or nothing. If the command does not read, lines are lost, but `run` never blocks. Thread
    // safety: from any thread.
    void write(std::string_view line) const noexcept;
    // Discards the lines that an earlier command has not read, so that the next command does not get them.
    void discard() const noexcept;

private:
    support::descriptor reader_;
    support::descriptor writer_;
};

}  // namespace turnstile::cli
