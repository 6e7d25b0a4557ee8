// SPDX-License-Identifier: Apache-2.0
// internals: gives the library's own code access to the implementation behind public objects: the client's
// implementation, the hold of a guard, the registration of a listener.
//
// Thread safety: the same as for the public object.
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

// The state of a listener_handle. Calls the function `end` when the handle is destroyed.
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
    // Returns the implementation of the client; null if the client was moved from.
    [[nodiscard]] static std::shared_ptr<client_impl> of(const client& servers);

    // Returns the implementation of the runtime; null if `shared` is empty.
    [[nodiscard]] static std::shared_ptr<runtime_impl> of(const runtime& shared);

    // Returns the implementation of the metrics; null if `numbers` is empty.
    [[nodiscard]] static std::shared_ptr<metrics_impl> of(const metrics& numbers);

    // Makes the guard of the hold. While it has a guard, the hold owns itself, so the guard needs only a plain pointer.
    // A hold has at most one guard.
    [[nodiscard]] static guard make_guard(std::shared_ptr<hold> held) noexcept {
        guard result;
        result.hold_ = held.get();
        if (held) result.hold_->kept_by_guard_ = std::move(held);
        return result;
    }
    // Returns the hold and empties the guard. The caller must release the hold.
    [[nodiscard]] static std::shared_ptr<hold> take_hold(guard&& from) noexcept {
        auto* const held = std::exchange(from.hold_, nullptr);
        return held == nullptr ? nullptr : std::move(held->kept_by_guard_);
    }
    // Returns the hold, which the guard keeps.
    [[nodiscard]] static std::shared_ptr<hold> hold_of(const guard& of) noexcept {
        return of.hold_ == nullptr ? nullptr : of.hold_->kept_by_guard_;
    }

    [[nodiscard]] static const std::vector<std::shared_ptr<hold>>& further_holds(
        const transaction& of) noexcept {
        return of.further_holds_;
    }

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
