// SPDX-License-Identifier: Apache-2.0
// lock_series: the numbers of the calls for one lock, or for the locks of one template (turnstile/metrics.hpp).
//
// | phase of a call | entered by                       | counts in                              |
// |-----------------|----------------------------------|----------------------------------------|
// | waiting         | enter()                          | waiting_now                            |
// | held            | grant()                          | waits, granted, held_now               |
// | refused         | end() of a call that waits       | refused                                |
// | released, lost  | end() of a hold                  | holds, and `lost` if it was lost       |
//
// A call has one end: what happens to it afterwards changes nothing.
//
// Thread safety: all members from any thread. The lock comes after every other lock of a client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "client/duration_histogram.hpp"
#include "client/hold.hpp"
#include "turnstile/metrics.hpp"

namespace turnstile::detail {

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
        const hold* holder = nullptr;  // while it is held
        bool announced = false;        // its caller has the guard
        bool end_told = false;
    };
    using place = std::list<entry>::iterator;

    lock_series(std::string name, const std::vector<boottime_clock::duration>& bounds)
        : name_{std::move(name)}, waits_{bounds}, holds_{bounds} {}

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    [[nodiscard]] place enter(boottime_clock::time_point now);
    void note_ahead(place call, std::size_t ahead);
    // Reads of `holder` go on until its end: it lives until then.
    void grant(place call, const hold& holder, boottime_clock::time_point now);
    // A hold that its owner gives up (`cancelled`, `interrupted`) is released; with any other reason it is lost.
    enum class ending : std::uint8_t { by_owner, by_loss };
    void end(place call, errc why, ending manner, boottime_clock::time_point now);
    void forget(place call) noexcept;

    [[nodiscard]] entry read_entry(place call) const;
    // Its caller was told of the grant.
    void announce(place call);
    // The end of a hold that was announced: returned once.
    [[nodiscard]] std::optional<entry> take_end(place call);

    [[nodiscard]] lock_numbers read(boottime_clock::time_point now) const;

private:
    const std::string name_;
    mutable base::mutex mutex_;
    // In the order of their beginning, which is nearly that of their calls and of their grants.
    std::list<entry> waiting_ GUARDED_BY(mutex_);
    std::list<entry> held_ GUARDED_BY(mutex_);
    std::list<entry> over_ GUARDED_BY(mutex_);  // whose call objects still exist
    duration_histogram waits_ GUARDED_BY(mutex_);
    duration_histogram holds_ GUARDED_BY(mutex_);
    std::uint64_t granted_ GUARDED_BY(mutex_) = 0;
    std::map<errc, std::uint64_t> refused_ GUARDED_BY(mutex_);
    // Every reason for which a hold ends, also before it has happened: what rises from nothing shows no increase.
    std::map<errc, std::uint64_t> lost_ GUARDED_BY(mutex_){{errc::session_lost, 0},
                                                           {errc::removed, 0},
                                                           {errc::revoked, 0},
                                                           {errc::held_too_long, 0},
                                                           {errc::closed, 0}};
};

}  // namespace turnstile::detail
