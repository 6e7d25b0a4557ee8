// SPDX-License-Identifier: Apache-2.0
// wake_up: a descriptor that poll() finds readable once `set` was called (an eventfd).
//
// Thread safety: from any thread.
#pragma once

namespace turnstile::base {

class wake_up {
public:
    // Throws std::system_error for want of descriptors.
    wake_up();
    ~wake_up();
    wake_up(const wake_up&) = delete;
    wake_up& operator=(const wake_up&) = delete;

    void set() noexcept;
    void clear() noexcept;
    [[nodiscard]] int fd() const noexcept { return fd_; }

private:
    const int fd_;
};

}  // namespace turnstile::base
