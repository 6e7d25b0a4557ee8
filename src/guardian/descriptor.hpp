// SPDX-License-Identifier: Apache-2.0
// descriptor: owns a file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace turnstile::guardian {

class descriptor {
public:
    descriptor() = default;
    explicit descriptor(int number) noexcept : number_{number} {}
    ~descriptor() { reset(); }
    descriptor(descriptor&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
    descriptor& operator=(descriptor&& other) noexcept {
        if (this != &other) {
            reset();
            number_ = std::exchange(other.number_, -1);
        }
        return *this;
    }

    [[nodiscard]] int get() const noexcept { return number_; }
    [[nodiscard]] bool open() const noexcept { return number_ >= 0; }
    void reset() noexcept {
        if (number_ >= 0) ::close(number_);
        number_ = -1;
    }

private:
    int number_ = -1;
};

}  // namespace turnstile::guardian
