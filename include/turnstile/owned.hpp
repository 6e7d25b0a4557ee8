// SPDX-License-Identifier: Apache-2.0
// owned: a pointer to the private state of a public class. The public header need not define the state's class.
//
// Thread safety: the same as the state's.
#pragma once

#include <utility>

#include "turnstile/language.hpp"

namespace turnstile::detail {

// Owns a `T` like std::unique_ptr, but does not need <memory>. Null only after a move.
template <class T>
class owned {
public:
    explicit owned(T* state) noexcept : state_{state} {}
    ~owned() {
        static_assert(sizeof(T) > 0, "the state is known where it is destroyed");
        delete state_;
    }
    owned(owned&& other) noexcept : state_{std::exchange(other.state_, nullptr)} {}
    owned& operator=(owned&& other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    owned(const owned&) = delete;
    owned& operator=(const owned&) = delete;

    [[nodiscard]] T* operator->() const noexcept { return state_; }
    [[nodiscard]] T& operator*() const noexcept { return *state_; }
    explicit operator bool() const noexcept { return state_ != nullptr; }

private:
    T* state_;
};

}  // namespace turnstile::detail
