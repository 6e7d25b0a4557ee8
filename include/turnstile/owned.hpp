// SPDX-License-Identifier: Apache-2.0
// owned: the state behind one of the classes here, which their headers need not know.
//
// Thread safety: that of the state.
#pragma once

#include <utility>

#include "turnstile/language.hpp"

namespace turnstile::detail {

// std::unique_ptr for what is never null but after a move, without <memory>.
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
