// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace turnstile::cli {

terminal::terminal(pid_t owner) noexcept
    : owner_{owner}, device_{::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)} {}

bool terminal::lend(pid_t group) noexcept {
    if (!device_.open()) return false;
    const pid_t now = ::tcgetpgrp(device_.get());
    if (now == owner_) lent_ = ::tcsetpgrp(device_.get(), group) == 0;
    return now == group || (now == owner_ && lent_);
}

void terminal::take_back() noexcept {
    if (lent_) ::tcsetpgrp(device_.get(), owner_);
    lent_ = false;
}

}  // namespace turnstile::cli
