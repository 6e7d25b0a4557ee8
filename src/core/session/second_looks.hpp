// SPDX-License-Identifier: Apache-2.0
// second_looks: chooses the contenders that read again, although they have a watch, because the watch's event may be
// lost (a *second look*, contender_looks.cpp). A few contenders read again in each confirmation interval, the time
// between two writes that extend the lease. They take turns.
//
// Holds and contenders next in line come first, since all contenders behind depend on them. But a contender further
// back that missed an event also blocks the contenders behind it. Only a few contenders read at a time: if all of
// them did, the reads would cost as much as watches save. With the default session timeout of 30 s, up to 64 contenders
// next in line each read every 6 s, and 1,000 waiters further back each read within 6.5 minutes.
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <vector>

#include "core/session/contender_table.hpp"

namespace turnstile::core {

class second_looks {
public:
    // Called when a connection has begun, or when the session gets its first contender: the interval until the next
    // repeated reads (second looks) starts at `now`.
    void begin(time_point now) { looked_at_ = now; }
    [[nodiscard]] time_point due(duration interval) const { return looked_at_ + interval; }
    // Both functions return contenders that must now read their predecessor's znode again. take_in_line() returns
    // contenders that are next in line for their locks, and take_further_back() contenders further back in the queues.
    [[nodiscard]] std::vector<contender_id> take_in_line(const contender_table& contenders);
    [[nodiscard]] std::vector<contender_id> take_further_back(const contender_table& contenders);

    friend bool operator==(const second_looks&, const second_looks&) = default;

private:
    [[nodiscard]] static std::vector<contender_id> take(const contender_table& contenders,
                                                        bool in_line, std::size_t most,
                                                        contender_id& latest);

    time_point looked_at_{};
    contender_id latest_in_line_{};
    contender_id latest_further_back_{};
};

}  // namespace turnstile::core
