// SPDX-License-Identifier: Apache-2.0
// wake_up: a descriptor (eventfd) that poll() finds readable after a call of `set`.
//
// Thread safety: from any thread.
#pragma once

#include "support/descriptor.hpp"

namespace turnstile::base {

class wake_up {
public:
    // Throws std::system_error if there is no free descriptor.
    wake_up();

    void set() noexcept;
    void clear() noexcept;
    [[nodiscard]] int fd() const noexcept { return event_.get(); }

private:
    const support::descriptor event_;
};

}  // namespace turnstile::base
