// SPDX-License-Identifier: Apache-2.0
// result<T>: a value or an error.
//
// Purpose: what `std::expected<T, error>` is in C++23, cut down to what the library's callers use;
// the names are the standard's, so that a switch later changes nothing.
//
//     turnstile::result<turnstile::guard> hold = orders.try_acquire();
//     if (hold) use(hold->fencing_token()); else log(hold.error().message());
//
// Thread safety: as safe as T.
#pragma once

#include <cassert>
#include <utility>
#include <variant>

#include "turnstile/error.hpp"

namespace turnstile {

template <class T>
class [[nodiscard]] result {
public:
    result(T value) : state_{std::in_place_index<0>, std::move(value)} {}
    result(turnstile::error failure) : state_{std::in_place_index<1>, std::move(failure)} {}
    result(errc failure) : state_{std::in_place_index<1>, failure} {}

    [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    // The value; throws `std::system_error` with the error's code and message when there is none.
    T& value() & { return check(), std::get<0>(state_); }
    const T& value() const& { return check(), std::get<0>(state_); }
    T&& value() && { return check(), std::get<0>(std::move(state_)); }

    // The value, which must be there.
    T& operator*() & noexcept { return *unchecked(); }
    const T& operator*() const& noexcept { return *unchecked(); }
    T&& operator*() && noexcept { return std::move(*unchecked()); }
    T* operator->() noexcept { return unchecked(); }
    const T* operator->() const noexcept { return unchecked(); }

    // The error, which must be there.
    [[nodiscard]] const turnstile::error& error() const noexcept {
        assert(!has_value());
        return *std::get_if<1>(&state_);
    }

private:
    void check() const {
        if (!has_value()) throw_error(*std::get_if<1>(&state_));
    }
    T* unchecked() noexcept {
        assert(has_value());
        return std::get_if<0>(&state_);
    }
    const T* unchecked() const noexcept {
        assert(has_value());
        return std::get_if<0>(&state_);
    }

    std::variant<T, turnstile::error> state_;
};

template <>
class [[nodiscard]] result<void> {
public:
    result() noexcept : state_{std::in_place_index<0>} {}
    result(turnstile::error failure) : state_{std::in_place_index<1>, std::move(failure)} {}
    result(errc failure) : state_{std::in_place_index<1>, failure} {}

    [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }
    void value() const {
        if (!has_value()) throw_error(this->error());
    }
    [[nodiscard]] const turnstile::error& error() const noexcept {
        assert(!has_value());
        return *std::get_if<1>(&state_);
    }

private:
    std::variant<std::monostate, turnstile::error> state_;
};

}  // namespace turnstile
