// SPDX-License-Identifier: Apache-2.0
// lock_series: the metrics of all calls for one lock, or for all locks whose paths match one pattern of the user
// (metrics_options::templates).
//
// | phase of a call | entered by                       | numbers that count the call            |
// |-----------------|----------------------------------|----------------------------------------|
// | waiting         | enter()                          | waiting_now                            |
// | held            | grant()                          | waits, granted, held_now               |
// | refused         | end() of a call that waits       | refused                                |
// | released, lost  | end() of a hold                  | holds, and `lost` if it was lost       |
//
// A call ends once; later events change nothing.
//
//     duration_histogram   counts measured durations by bucket
//
// Thread safety: all members from any thread. Lock order: every other lock of a client comes before this lock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "client/hold.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/metric_family.hpp"
#include "turnstile/metrics.hpp"

namespace turnstile::detail {

[[nodiscard]] constexpr double in_seconds(boottime_clock::duration span) noexcept {
    return std::chrono::duration<double>{span}.count();
}

// A value; one thread at a time.
class duration_histogram {
public:
    // `bounds`: the upper bounds of the buckets, in ascending order. A duration equal to a bound counts in that bound's
    // bucket.
    explicit duration_histogram(std::vector<boottime_clock::duration> bounds)
        : bounds_{std::move(bounds)}, counts_(bounds_.size() + 1) {}

    void add(boottime_clock::duration span) {
        span = std::max(span, boottime_clock::duration{});
        const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), span);
        ++counts_[static_cast<std::size_t>(bucket - bounds_.begin())];
        sum_ += in_seconds(span);
    }
    [[nodiscard]] metric_histogram read() const {
        metric_histogram numbers;
        for (const auto bound : bounds_) numbers.bounds.push_back(in_seconds(bound));
        numbers.counts = counts_;
        numbers.sum = sum_;
        return numbers;
    }

private:
    std::vector<boottime_clock::duration> bounds_;
    std::vector<std::uint64_t> counts_;
    double sum_ = 0;
};

class lock_series {
public:
    enum class phase : std::uint8_t { waiting, held, refused, released, lost };
    struct entry {
        phase state = phase::waiting;
        boottime_clock::time_point began{};
        boottime_clock::time_point granted{};
        boottime_clock::time_point ended{};
        std::optional<errc> why{};
        std::size_t ahead = 0;
        const hold* holder = nullptr;  // set while the call has a hold
        bool announced = false;        // true: the caller has the guard
        bool end_told = false;
    };
    using place = std::list<entry>::iterator;

    lock_series(std::string name, const std::vector<boottime_clock::duration>& bounds)
        : name_{std::move(name)}, waits_{bounds}, holds_{bounds} {}

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    [[nodiscard]] place enter(boottime_clock::time_point now);
    void note_ahead(place call, std::size_t ahead);
    // Counts a grant. `holder` is read until end() is called, so it must live until then.
    void grant(place call, const hold& holder, boottime_clock::time_point now);
    // `ending` decides whether a hold that has ended counts as released or as lost. `by_owner`: the caller gave the
    // hold up, so the reason of the end is `cancelled` or `interrupted`.
    enum class ending : std::uint8_t { by_owner, by_loss };
    void end(place call, errc why, ending manner, boottime_clock::time_point now);
    void forget(place call) noexcept;

    [[nodiscard]] entry read_entry(place call) const;
    // Notes that the caller has learned of its grant.
    void announce(place call);
    // Returns the call's entry if the caller has learned of the grant, and the hold has ended. Returns the entry only
    // once.
    [[nodiscard]] std::optional<entry> take_end(place call);

    [[nodiscard]] lock_numbers read(boottime_clock::time_point now) const;

private:
    const std::string name_;
    mutable base::mutex mutex_;
    std::list<entry> waiting_ GUARDED_BY(mutex_);
    std::list<entry> held_ GUARDED_BY(mutex_);
    std::list<entry> over_ GUARDED_BY(mutex_);  // entries whose call_record still exists
    duration_histogram waits_ GUARDED_BY(mutex_);
    duration_histogram holds_ GUARDED_BY(mutex_);
    std::uint64_t granted_ GUARDED_BY(mutex_) = 0;
    std::map<errc, std::uint64_t> refused_ GUARDED_BY(mutex_);
    // The number of losses for each reason. The map has every reason from the start: a monitoring system cannot compute
    // an increase for a counter that first appears with its first event.
    std::map<errc, std::uint64_t> lost_ GUARDED_BY(mutex_){{errc::session_lost, 0},
                                                           {errc::removed, 0},
                                                           {errc::revoked, 0},
                                                           {errc::held_too_long, 0},
                                                           {errc::closed, 0}};
};

}  // namespace turnstile::detail
