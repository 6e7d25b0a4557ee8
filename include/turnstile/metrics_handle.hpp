// SPDX-License-Identifier: Apache-2.0
// metrics_handle: the class `metrics`, as client_options needs it. Include metrics.hpp to use it.
//
// Thread safety: one thread at a time may assign or destroy a metrics object. Any thread may call snapshot().
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

// A handle of measured numbers (metrics.hpp). Copies refer to the same numbers.
class TURNSTILE_EXPORT metrics {
public:
    metrics() noexcept;  // refers to no numbers
    // Makes a new set of numbers with these options. Throws std::system_error(bad_option), with the value and the rule
    // in the message.
    [[nodiscard]] static metrics start(metrics_options options);
    [[nodiscard]] static metrics start();  // with the default options
    ~metrics();
    metrics(const metrics& other);
    metrics(metrics&& other) noexcept;
    metrics& operator=(const metrics& other);
    metrics& operator=(metrics&& other) noexcept;

    // Returns true if this object refers to numbers.
    explicit operator bool() const noexcept { return static_cast<bool>(inside_); }

    // Returns the present numbers, or an empty snapshot if this object refers to no numbers. All numbers of one series
    // (metrics.hpp) are from one instant; the series are read one after the other. The call does not wait for servers.
    [[nodiscard]] metrics_snapshot snapshot() const;

private:
    friend class detail::internals;
    class inside;
    explicit metrics(inside* numbers) noexcept;

    detail::owned<inside> inside_;
};

}  // namespace turnstile
