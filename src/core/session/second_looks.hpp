// SPDX-License-Identifier: Apache-2.0
// second_looks: which of the acquisitions that wait for events look again, and when (acquisition_looks.cpp): with each
// confirmation interval a few of them, in turn.
//
// First come the contenders that are next in line, and holds: those behind go on when they do. But an event that one
// further back has lost stops those behind it, too. In turn, since a crowd would cost what watches save: with
// the defaults of 30 s each of up to 64 that are next in line is looked at every 6 s, and of 1,000 that wait
// further back each within 6.5 minutes.
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <vector>

#include "core/session/contender_table.hpp"

namespace turnstile::core {

class second_looks {
public:
    // The interval counts from now: the session was attached, or has its first contender.
    void begin(time_point now) { looked_at_ = now; }
    [[nodiscard]] time_point due(duration interval) const { return looked_at_ + interval; }
    // The contenders whose turn it is: next in line, and further back.
    [[nodiscard]] std::vector<acquisition_id> take_in_line(const contender_table& contenders);
    [[nodiscard]] std::vector<acquisition_id> take_behind(const contender_table& contenders);

    friend bool operator==(const second_looks&, const second_looks&) = default;

private:
    [[nodiscard]] static std::vector<acquisition_id> take(const contender_table& contenders,
                                                          bool in_line, std::size_t most,
                                                          acquisition_id& latest);

    time_point looked_at_{};
    acquisition_id latest_in_line_{};
    acquisition_id latest_behind_{};
};

}  // namespace turnstile::core
