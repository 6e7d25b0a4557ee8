// SPDX-License-Identifier: Apache-2.0
// spdlog_writer: the default sink, spdlog's logger "turnstile".
//
// A logger of that name that the application registered is used, else one of our own on the standard error
// stream, whose sink has no lock: one thread writes.
//
// Thread safety: one thread.
#pragma once

#include <memory>

#include "base/log_lanes.hpp"

namespace spdlog {
class logger;
}

namespace turnstile::log {

class spdlog_writer {
public:
    // Makes spdlog's registry, whose end then comes after that of what is made later, and learns the local time.
    static void prepare();
    // In a process that was forked: nothing is asked of the C library any more that another thread's lock could keep
    // from us.
    static void in_child() noexcept;

    // `look_up`: the application's logger is looked for. Not in a child that was forked while its parent's thread
    // may have been in spdlog, whose locks may be taken for ever then.
    explicit spdlog_writer(bool look_up);

    void write(const waiting_line& line);

private:
    const bool look_up_;
    const std::shared_ptr<spdlog::logger> own_;
};

}  // namespace turnstile::log
