// SPDX-License-Identifier: Apache-2.0
// descriptor: owns a file descriptor. A negative number, which the system's calls return after an error, means none.
//
//     support::descriptor file{::open(name, O_RDONLY | O_CLOEXEC)};
//     if (!file.open()) throw std::system_error{errno, std::generic_category(), name};
//
// Thread safety: none; const members from any thread.
#pragma once

#include <unistd.h>

#include <utility>

namespace turnstile::support {

inline constexpr int k_no_descriptor = -1;

class descriptor {
public:
    descriptor() noexcept = default;
    explicit descriptor(int number) noexcept : number_{number} {}
    ~descriptor() { reset(); }
    descriptor(descriptor&& other) noexcept : number_{other.release()} {}
    descriptor& operator=(descriptor&& other) noexcept {
        if (this != &other) {
            reset();
            number_ = other.release();
        }
        return *this;
    }

    [[nodiscard]] int get() const noexcept { return number_; }
    [[nodiscard]] bool open() const noexcept { return number_ >= 0; }
    // Gives the descriptor to the caller; the caller must close it.
    [[nodiscard]] int release() noexcept { return std::exchange(number_, k_no_descriptor); }
    // May change errno, as close() does.
    void reset() noexcept {
        if (open()) ::close(release());
    }

private:
    int number_ = k_no_descriptor;
};

}  // namespace turnstile::support
