// SPDX-License-Identifier: Apache-2.0
// status_pipe: the pipe whose reading end the command inherits (TURNSTILE_STATUS_FD).
#pragma once

#include <string_view>

#include "support/descriptor.hpp"

namespace turnstile::cli {

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
