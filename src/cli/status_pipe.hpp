// SPDX-License-Identifier: Apache-2.0
// status_pipe: the pipe whose reading end the command has (TURNSTILE_STATUS_FD).
#pragma once

#include <string_view>

#include "support/descriptor.hpp"

namespace turnstile::cli {

class status_pipe {
public:
    // Throws std::system_error.
    status_pipe();

    // The command's end; it keeps its number there.
    [[nodiscard]] int reader() const noexcept { return reader_.get(); }
    // A whole line or nothing: a command that does not read loses lines and never blocks `run`. Thread safety: from
    // any thread.
    void write(std::string_view line) const noexcept;
    // What a command has not read is not the next one's.
    void discard() const noexcept;

private:
    support::descriptor reader_;
    support::descriptor writer_;
};

}  // namespace turnstile::cli
