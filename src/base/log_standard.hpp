// SPDX-License-Identifier: Apache-2.0
// standard_writer: the default sink: the logger "turnstile" that the application has registered with spdlog, or the
// standard error stream.
//
// Thread safety: one thread.
#pragma once

#include "base/log_lanes.hpp"

namespace turnstile::log {

class standard_writer {
public:
    // Learns the local time, and makes spdlog's registry, whose end then comes after that of what is made later.
    static void prepare();
    // In a process that was forked: nothing is asked of the C library any more that another thread's lock could keep
    // from us.
    static void in_child() noexcept;

    // `look_up`: the application's logger is looked for. Not in a child that was forked while its parent's thread
    // may have been in spdlog, whose locks may be taken for ever then.
    explicit standard_writer(bool look_up) : look_up_{look_up} {}

    void write(const waiting_line& line);

private:
    const bool look_up_;
};

}  // namespace turnstile::log
