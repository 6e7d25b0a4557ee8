// SPDX-License-Identifier: Apache-2.0
// metrics_handle: a handle of the numbers of metrics.hpp, for client_options. Include metrics.hpp to use it.
//
// Thread safety: a handle is as safe as an int. Any thread may call snapshot().
#pragma once

#include "turnstile/export.hpp"
#include "turnstile/language.hpp"
#include "turnstile/owned.hpp"

namespace turnstile {

namespace detail {
class internals;
}  // namespace detail

struct metrics_options;
struct metrics_snapshot;

// A handle of the numbers. Copies refer to the same numbers.
class TURNSTILE_EXPORT metrics {
public:
    metrics() noexcept;  // refers to no numbers
    // Throws std::system_error(bad_option): the message names the value and the rule.
    [[nodiscard]] static metrics start(metrics_options options);
    [[nodiscard]] static metrics start();  // with the default options
    ~metrics();
    metrics(const metrics& other);
    metrics(metrics&& other) noexcept;
    metrics& operator=(const metrics& other);
    metrics& operator=(metrics&& other) noexcept;

    // True if the handle refers to numbers.
    explicit operator bool() const noexcept { return static_cast<bool>(inside_); }

    // Returns the current numbers; an empty handle returns no numbers. The numbers of one series are of one instant. The
    // call reads two series one after the other. It does not block on servers.
    [[nodiscard]] metrics_snapshot snapshot() const;

private:
    friend class detail::internals;
    class inside;
    explicit metrics(inside* numbers) noexcept;

    detail::owned<inside> inside_;
};

}  // namespace turnstile
