// SPDX-License-Identifier: Apache-2.0
// result<T>: a value, or an error.
//
// Calls that can fail return a result. It is C++23's `std::expected<T, error>`, reduced to what users of this library
// need. The names are the standard's; has_error() is Boost's.
//
//     turnstile::result<turnstile::guard> hold = orders.try_acquire();
//     if (hold) use(hold->fencing_token()); else log(hold.error().message());
//
//     const auto waiting = orders.queue().transform(&std::vector<turnstile::contender>::size).value_or(0);
//
// A result whose value answers a question by itself (a bool, a number, a std::optional) cannot be a condition: `if
// (orders.is_locked())` would test whether the call succeeded, and would read as "it is locked". So such a result has
// no operator bool, and a result of a std::optional has no has_value() either.
//
//     const auto locked = orders.is_locked();
//     if (locked.has_error()) log(locked.error().message());
//     else if (*locked) come_back_later();
//
// A hold in a temporary result cannot be a condition either: `if (orders.try_acquire()) ship();` would release the lock
// before it ships. `if (auto hold = orders.try_acquire()) ship();` keeps the hold. To ask only whether the lock was
// free, write `orders.try_acquire().has_value()`.
//
// | call               | effect with a value          | effect with an error                     |
// |--------------------|------------------------------|------------------------------------------|
// | has_error()        | false                        | true                                     |
// | value()            | the value                    | throws std::system_error                 |
// | *r, r->            | the value                    | end the process, with a message          |
// | error()            | ends the process             | the error                                |
// | value_or(other)    | the value                    | `other`                                  |
// | and_then(f)        | f(value), a result           | the error                                |
// | transform(f)       | a result of f(value)         | the error                                |
// | or_else(f)         | the value                    | f(error), a result of the same type      |
// | transform_error(f) | the value                    | f(error), an error                       |
//
// On an rvalue these calls move the value or the error. value(), operator* and error() of an rvalue return the value or
// the error itself. (std::expected returns a reference into an object that is about to be destroyed.) So `for (const
// auto& waiter : orders.queue().value())` is safe.
//
// Thread safety: as safe as T.
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include "turnstile/error.hpp"

namespace turnstile {

template <class T>
class result;  // below
class guard;   // guard.hpp

namespace detail {

template <class R>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<result<T>> = true;

template <class T>
inline constexpr bool k_is_optional = false;
template <class T>
inline constexpr bool k_is_optional<std::optional<T>> = true;
// True for the types of values that answer a question by themselves: a bool, a number or an optional.
template <class T>
inline constexpr bool k_is_answer = std::is_arithmetic_v<T> || k_is_optional<T>;
// True for the types of values whose temporary result must not be a condition, as in `if (orders.acquire())`. A
// temporary result with a guard would release the lock before the block begins. With a temporary report (a value with a
// member `verdict`), the condition would ignore the verdict.
template <class T>
inline constexpr bool k_needs_name = std::same_as<T, guard> || requires(const T& report) {
    report.verdict;
};

// Returns the error in `failure`. Ends the process if `failure` is empty.
template <class Optional>
constexpr auto& error_in(Optional& failure) noexcept {
    if (!failure.has_value()) end_without_error();
    return *failure;
}

// Calls the function with the value. If `function` is a pointer to a member, returns or calls that member of the value
// instead, like std::invoke.
template <class F, class V>
constexpr decltype(auto) call_with_value(F&& function, V&& value) {
    if constexpr (std::is_member_object_pointer_v<std::remove_cvref_t<F>>) {
        return (std::forward<V>(value).*function);
    } else if constexpr (std::is_member_function_pointer_v<std::remove_cvref_t<F>>) {
        return (std::forward<V>(value).*function)();
    } else {
        return std::forward<F>(function)(std::forward<V>(value));
    }
}

// Returns the result of `call`, which calls the user's function with the value of `self`. If `self` has an error,
// returns that error instead.
template <class Self, class Call>
constexpr auto and_then(Self&& self, Call&& call) {
    using outcome = std::remove_cvref_t<decltype(call())>;
    static_assert(is_result<outcome>, "the function of and_then() has to return a result");
    if (!self.has_error()) return outcome{call()};
    return outcome{std::forward<Self>(self).error()};
}
template <class Self, class Call>
constexpr auto transform(Self&& self, Call&& call) {
    using value = std::remove_cv_t<decltype(call())>;
    static_assert(!std::is_reference_v<value> && !is_result<value>,
                  "the function of transform() has to return a value, or nothing");
    if (self.has_error()) return result<value>{std::forward<Self>(self).error()};
    if constexpr (std::is_void_v<value>) {
        call();
        return result<value>{};
    } else {
        return result<value>{call()};
    }
}
// Returns `self` if it has a value, and otherwise calls `function` with its error. `Result` is the type of `self`
// without references.
template <class Result, class Self, class F>
constexpr Result or_else(Self&& self, F&& function) {
    using outcome = std::remove_cvref_t<decltype(function(std::forward<Self>(self).error()))>;
    static_assert(std::same_as<outcome, Result>,
                  "the function of or_else() has to return the same result");
    if (!self.has_error()) return std::forward<Self>(self);
    return std::forward<F>(function)(std::forward<Self>(self).error());
}
template <class Result, class Self, class F>
constexpr Result transform_error(Self&& self, F&& function) {
    if (!self.has_error()) return std::forward<Self>(self);
    return Result{error{std::forward<F>(function)(std::forward<Self>(self).error())}};
}

}  // namespace detail

// A value of type `T`, or an error.
template <class T>
class [[nodiscard]] result {
public:
    // The types of the value and of the error, as std::expected names them.
    using value_type = T;
    using error_type = turnstile::error;

    // A success with this value.
    result(T value) : value_{std::in_place, std::move(value)} {}
    // A failure, with this error or with an error of this code.
    result(turnstile::error failure) : failure_{std::move(failure)} {}
    result(errc failure) : failure_{failure} {}

    // Returns whether the call failed.
    [[nodiscard]] bool has_error() const noexcept { return failure_.has_value(); }

    // Returns whether the call succeeded.
    [[nodiscard]] bool has_value() const noexcept requires(!detail::k_is_optional<T>) {
        return !has_error();
    }
    explicit operator bool() const& noexcept requires(!detail::k_is_answer<T>) {
        return !has_error();
    }
    // Deleted for a temporary result with a guard or a report. As a condition, the result would release its guard
    // before the block begins, or the condition would ignore the report's verdict. Give the result a name: `if (auto
    // hold = m.try_acquire())`.
    explicit operator bool() && requires(detail::k_needs_name<T>) = delete;
    // Deleted for a result of an optional, because the optional has a has_value() too. Use has_error(), or
    // value().has_value().
    bool has_value() const requires(detail::k_is_optional<T>) = delete;
    // Deleted for a result of a bool, a number or an optional, because a reader would take the condition for the value.
    // Use has_error(), or value().
    explicit operator bool() const& requires(detail::k_is_answer<T>) = delete;

    // Returns the value. Without a value, throws `std::system_error` with the error's code and message.
    T& value() & { return check(), *value_; }
    const T& value() const& { return check(), *value_; }
    T value() && { return check(), *std::move(value_); }

    // Returns the value. Without a value the process ends, with the error's message on stderr.
    T& operator*() & noexcept { return expect_value(), *value_; }
    const T& operator*() const& noexcept { return expect_value(), *value_; }
    T operator*() && { return expect_value(), *std::move(value_); }
    T* operator->() noexcept { return expect_value(), &*value_; }
    const T* operator->() const noexcept { return expect_value(), &*value_; }

    // Returns the error. Without an error the process ends, with a message on stderr.
    [[nodiscard]] const turnstile::error& error() const& noexcept {
        return detail::error_in(failure_);
    }
    [[nodiscard]] turnstile::error error() && noexcept {
        return std::move(detail::error_in(failure_));
    }

    // Like the functions of std::expected; see the table at the top of this file. value_or() returns `other` if there
    // is an error.
    template <std::convertible_to<T> U>
    [[nodiscard]] T value_or(U&& other) const& {
        return !has_error() ? **this : static_cast<T>(std::forward<U>(other));
    }
    template <std::convertible_to<T> U>
    [[nodiscard]] T value_or(U&& other) && {
        return !has_error() ? *std::move(*this) : static_cast<T>(std::forward<U>(other));
    }
    template <class F>
    auto and_then(F&& function) & {
        return detail::and_then(*this, [&]() -> decltype(auto) {
            return detail::call_with_value(std::forward<F>(function), **this);
        });
    }
    template <class F>
    auto and_then(F&& function) const& {
        return detail::and_then(*this, [&]() -> decltype(auto) {
            return detail::call_with_value(std::forward<F>(function), **this);
        });
    }
    template <class F>
    auto and_then(F&& function) && {
        return detail::and_then(std::move(*this), [&]() -> decltype(auto) {
            return detail::call_with_value(std::forward<F>(function), *std::move(*this));
        });
    }
    template <class F>
    auto transform(F&& function) & {
        return detail::transform(
            *this, [&] { return detail::call_with_value(std::forward<F>(function), **this); });
    }
    template <class F>
    auto transform(F&& function) const& {
        return detail::transform(
            *this, [&] { return detail::call_with_value(std::forward<F>(function), **this); });
    }
    template <class F>
    auto transform(F&& function) && {
        return detail::transform(std::move(*this), [&] {
            return detail::call_with_value(std::forward<F>(function), *std::move(*this));
        });
    }
    template <class F>
    result or_else(F&& function) const& {
        return detail::or_else<result>(*this, std::forward<F>(function));
    }
    template <class F>
    result or_else(F&& function) && {
        return detail::or_else<result>(std::move(*this), std::forward<F>(function));
    }
    template <class F>
    result transform_error(F&& function) const& {
        return detail::transform_error<result>(*this, std::forward<F>(function));
    }
    template <class F>
    result transform_error(F&& function) && {
        return detail::transform_error<result>(std::move(*this), std::forward<F>(function));
    }

private:
    void check() const {
        if (has_error()) throw_error(*failure_);
    }
    void expect_value() const noexcept {
        if (has_error()) detail::end_without_value(*failure_);
    }

    std::optional<T> value_;  // exactly one of value_ and failure_ is set
    std::optional<turnstile::error> failure_;
};

// Success without a value, or an error.
template <>
class [[nodiscard]] result<void> {
public:
    // The types of the value and of the error.
    using value_type = void;
    using error_type = turnstile::error;

    // A success.
    result() noexcept = default;
    // A failure, with this error or with an error of this code.
    result(turnstile::error failure) : failure_{std::move(failure)} {}
    result(errc failure) : failure_{failure} {}

    // Returns whether the call failed.
    [[nodiscard]] bool has_error() const noexcept { return failure_.has_value(); }
    // Returns whether the call succeeded.
    [[nodiscard]] bool has_value() const noexcept { return !has_error(); }
    explicit operator bool() const noexcept { return has_value(); }
    // Throws `std::system_error` with the error's code and message if the call failed.
    void value() const {
        if (has_error()) throw_error(this->error());
    }
    // Returns the error. Without an error the process ends, with a message on stderr.
    [[nodiscard]] const turnstile::error& error() const& noexcept {
        return detail::error_in(failure_);
    }
    [[nodiscard]] turnstile::error error() && noexcept {
        return std::move(detail::error_in(failure_));
    }

    // Like the functions of result<T>, but and_then() and transform() call `function` without an argument.
    template <class F>
    auto and_then(F&& function) const& {
        return detail::and_then(*this, std::forward<F>(function));
    }
    template <class F>
    auto and_then(F&& function) && {
        return detail::and_then(std::move(*this), std::forward<F>(function));
    }
    template <class F>
    auto transform(F&& function) const& {
        return detail::transform(*this, std::forward<F>(function));
    }
    template <class F>
    auto transform(F&& function) && {
        return detail::transform(std::move(*this), std::forward<F>(function));
    }
    template <class F>
    result or_else(F&& function) const& {
        return detail::or_else<result>(*this, std::forward<F>(function));
    }
    template <class F>
    result or_else(F&& function) && {
        return detail::or_else<result>(std::move(*this), std::forward<F>(function));
    }
    template <class F>
    result transform_error(F&& function) const& {
        return detail::transform_error<result>(*this, std::forward<F>(function));
    }
    template <class F>
    result transform_error(F&& function) && {
        return detail::transform_error<result>(std::move(*this), std::forward<F>(function));
    }

private:
    std::optional<turnstile::error> failure_;
};

}  // namespace turnstile
