// SPDX-License-Identifier: Apache-2.0
// make_event: creates an eventfd with close-on-exec and nonblocking writes. Throws std::system_error.
#pragma once

#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>

#include "support/descriptor.hpp"

namespace turnstile::cli {

[[nodiscard]] inline support::descriptor make_event() {
    support::descriptor event{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (!event.open()) throw std::system_error{errno, std::system_category(), "eventfd"};
    return event;
}

}  // namespace turnstile::cli
