// SPDX-License-Identifier: Apache-2.0
#include "base/wake_up.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace turnstile::base {

wake_up::wake_up() : fd_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (fd_ < 0) throw std::system_error{errno, std::generic_category(), "eventfd"};
}

wake_up::~wake_up() {
    ::close(fd_);
}

// Both can fail only with EAGAIN, when the state is already what is asked for.
void wake_up::set() noexcept {
    static_cast<void>(::eventfd_write(fd_, 1));
}

void wake_up::clear() noexcept {
    eventfd_t value = 0;
    static_cast<void>(::eventfd_read(fd_, &value));
}

}  // namespace turnstile::base
