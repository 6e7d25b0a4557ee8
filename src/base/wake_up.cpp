// SPDX-License-Identifier: Apache-2.0
#include "base/wake_up.hpp"

#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>

namespace turnstile::base {

wake_up::wake_up() : event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (!event_.open()) throw std::system_error{errno, std::generic_category(), "eventfd"};
}

// eventfd_write(), and eventfd_read() in clear(), can fail only with EAGAIN. Then the descriptor has the wanted state
// already.
void wake_up::set() noexcept {
    static_cast<void>(::eventfd_write(event_.get(), 1));
}

void wake_up::clear() noexcept {
    eventfd_t value = 0;
    static_cast<void>(::eventfd_read(event_.get(), &value));
}

}  // namespace turnstile::base
