// SPDX-License-Identifier: Apache-2.0
// callback: the user's function in a struct of options. A callback has the size of one pointer.
//
// Options have many callbacks, and most of them are empty; each std::function would have the size of four pointers. A
// callback can be constructed from everything that std::function accepts, including an empty std::function and a null
// pointer. Copies share the function.
//
// Thread safety: the same as a std::shared_ptr's. Concurrent calls are safe if the user's function permits them.
#pragma once

#include "turnstile/language.hpp"

#include <atomic>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace turnstile::detail {

template <class Signature>
class callback;

template <class... Arguments>
class callback<void(Arguments...)> {
public:
    callback() noexcept = default;
    callback(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): as std::function
    template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, callback> &&
             std::is_invocable_v<std::decay_t<F>&, Arguments...> &&
             std::constructible_from<std::decay_t<F>, F>)
        callback(F&& function) {  // NOLINT(google-explicit-constructor): as std::function
        if constexpr (requires { function == nullptr; })
            if (function == nullptr) return;
        shared_ = new holder<std::decay_t<F>>{std::forward<F>(function)};
    }
    ~callback() {
        if (shared_ != nullptr && shared_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
            delete shared_;
    }
    callback(const callback& other) noexcept : shared_{other.shared_} {
        if (shared_ != nullptr) shared_->owners.fetch_add(1, std::memory_order_relaxed);
    }
    callback(callback&& other) noexcept : shared_{std::exchange(other.shared_, nullptr)} {}
    callback& operator=(const callback& other) noexcept { return *this = callback{other}; }
    callback& operator=(callback&& other) noexcept {
        callback kept{std::move(other)};
        std::swap(shared_, kept.shared_);
        return *this;
    }

    explicit operator bool() const noexcept { return shared_ != nullptr; }
    friend bool operator==(const callback& a, std::nullptr_t) noexcept { return !a; }

    // Calls the function, which must not be empty.
    void operator()(Arguments... arguments) const {
        assert(shared_ != nullptr);
        shared_->call(std::forward<Arguments>(arguments)...);
    }

private:
    struct shared {
        shared() = default;
        shared(const shared&) = delete;
        shared& operator=(const shared&) = delete;
        virtual ~shared() = default;
        virtual void call(Arguments... arguments) = 0;

        std::atomic<std::size_t> owners{1};
    };
    template <class F>
    struct holder final : shared {
        explicit holder(F&& given) : function{std::move(given)} {}
        explicit holder(const F& given) : function{given} {}
        void call(Arguments... arguments) override {
            static_cast<void>(std::invoke(function, std::forward<Arguments>(arguments)...));
        }

        F function;
    };

    shared* shared_ = nullptr;
};

}  // namespace turnstile::detail
