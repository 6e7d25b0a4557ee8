// SPDX-License-Identifier: Apache-2.0
// wake_up: a descriptor (eventfd) that poll() finds readable after a call of `set`.
//
// Thread safety: from any thread.
#pragma once

#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>

#include "support/descriptor.hpp"

namespace turnstile::support {

class wake_up {
public:
    // Throws std::system_error if there is no free descriptor.
    wake_up() : event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
        if (!event_.open()) throw std::system_error{errno, std::generic_category(), "eventfd"};
    }

    // eventfd_write() and eventfd_read() can fail only with EAGAIN. Then the descriptor has the wanted state already.
    void set() noexcept { static_cast<void>(::eventfd_write(event_.get(), 1)); }
    void clear() noexcept {
        eventfd_t value = 0;
        static_cast<void>(::eventfd_read(event_.get(), &value));
    }
    [[nodiscard]] int fd() const noexcept { return event_.get(); }

private:
    const descriptor event_;
};

}  // namespace turnstile::support
