// acquire_options: how long a call waits for a lock, and what it tells meanwhile.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"

namespace turnstile {

// A time-out or a deadline, or neither: wait for ever.
class wait_limit {
public:
    constexpr wait_limit() noexcept = default;
    template <duration_like D>
    constexpr wait_limit(const D& timeout) noexcept  // NOLINT: reads as `.timeout = 2s`
        : timeout_{to_nanoseconds(timeout)} {}
    constexpr wait_limit(boottime_clock::time_point deadline) noexcept  // NOLINT
        : deadline_{deadline} {}

    // The one deadline of the call that starts now.
    [[nodiscard]] std::optional<boottime_clock::time_point> deadline() const noexcept {
        if (deadline_) return deadline_;
        if (timeout_) return boottime_clock::now() + *timeout_;
        return std::nullopt;
    }

private:
    std::optional<boottime_clock::duration> timeout_;
    std::optional<boottime_clock::time_point> deadline_;
};

struct acquire_options {
    wait_limit timeout{};    // default: for ever. A duration (2s) or a boottime_clock time point
    std::stop_token stop{};  // ends the wait with `cancelled`
    // Told each time the place in the queue becomes known: how many contenders are ahead. Runs on
    // the client's callbacks executor; may come late or be left out when places change quickly.
    std::function<void(std::size_t ahead)> on_queued{};
    // Told once when a hold is over without release(): the same moment as `guard::lost()`.
    std::function<void(const error& why)> on_lost{};
    // Told when the connection is gone and the lease runs: the hold stays valid until valid_until().
    std::function<void(boottime_clock::time_point valid_until)> on_at_risk{};
    // Told when less than this is left of the lease, once for each time that it runs so low: again if
    // it was confirmed in between. Zero: never.
    boottime_clock::duration warn_before{};
    std::function<void(boottime_clock::duration remaining)> on_expiring{};
    std::string label{};  // for the holder metadata; empty: the client's
};

}  // namespace turnstile
