// SPDX-License-Identifier: Apache-2.0
// internals: the way from the public classes to what is behind them, for the library's own code: the client's
// inside, the hold of a guard, the registration of a listener.
//
// Thread safety: that of the object that is asked.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "client/hold.hpp"
#include "turnstile/client.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/metrics_handle.hpp"
#include "turnstile/runtime.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile {

namespace detail {

class client_impl;
class metrics_impl;
class runtime_impl;

// What a listener_handle owns.
class registration {
public:
    explicit registration(std::function<void()> end) : end_{std::move(end)} {}
    ~registration() { end_(); }
    registration(const registration&) = delete;
    registration& operator=(const registration&) = delete;

private:
    const std::function<void()> end_;
};

class internals {
public:
    // Null for a client that was moved from.
    [[nodiscard]] static std::shared_ptr<client_impl> of(const client& servers);

    // Null for a handle of none.
    [[nodiscard]] static std::shared_ptr<runtime_impl> of(const runtime& shared);

    // Null for a handle of none.
    [[nodiscard]] static std::shared_ptr<metrics_impl> of(const metrics& numbers);

    // A hold has one guard at a time. It keeps itself while it has one: so a guard is one pointer.
    [[nodiscard]] static guard make_guard(std::shared_ptr<hold> held) noexcept {
        guard result;
        result.hold_ = held.get();
        if (held) result.hold_->kept_by_guard_ = std::move(held);
        return result;
    }
    // The guard holds nothing afterwards, and the caller has to release the hold.
    [[nodiscard]] static std::shared_ptr<hold> take_hold(guard&& from) noexcept {
        auto* const held = std::exchange(from.hold_, nullptr);
        return held == nullptr ? nullptr : std::move(held->kept_by_guard_);
    }
    // It stays the guard's.
    [[nodiscard]] static std::shared_ptr<hold> hold_of(const guard& of) noexcept {
        return of.hold_ == nullptr ? nullptr : of.hold_->kept_by_guard_;
    }

    [[nodiscard]] static const std::vector<std::shared_ptr<hold>>& further_holds(
        const transaction& of) noexcept {
        return of.further_holds_;
    }

    // `end` is called once, when the handle is destroyed.
    [[nodiscard]] static listener_handle make_handle(std::function<void()> end) {
        return listener_handle{new registration{std::move(end)}};
    }
};

}  // namespace detail

class client::inside {
public:
    std::shared_ptr<detail::client_impl> impl;
};

class runtime::inside {
public:
    std::shared_ptr<detail::runtime_impl> impl;
};

}  // namespace turnstile
