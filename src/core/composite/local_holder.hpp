// SPDX-License-Identifier: Apache-2.0
// local_holder: the thread of this process that holds a shared contender now. Stores the end of the thread's own time
// limit, and decides when the thread must be warned that its hold ends soon.
//
// Thread safety: none, a value.
#pragma once

#include <cstdint>
#include <optional>

#include "core/seam/seam.hpp"

namespace turnstile::core {

enum class local_id : std::uint64_t {};

class local_holder {
public:
    // `end`: the end of the holder's own time limit, if there is one. `warn_before`: zero for no warning.
    local_holder(local_id id, std::optional<time_point> end, duration warn_before)
        : id_{id}, end_{end}, warn_before_{warn_before} {}

    [[nodiscard]] local_id id() const noexcept { return id_; }
    [[nodiscard]] std::optional<time_point> end() const noexcept { return end_; }

    // Returns the next time to call `warn`. `lease_end`: the end of the contender's lease; time_point::min() once the
    // contender is lost.
    [[nodiscard]] std::optional<time_point> next_warning(time_point lease_end) const;
    // Returns true if the holder must be warned now: once each time that the remaining time falls below `warn_before`.
    // No event reports an extension of the lease. Therefore the caller must call `warn` again at the end of the lease
    // that was known at the latest warning. If the lease was extended meanwhile, a second warning may follow later.
    [[nodiscard]] bool warn(time_point lease_end, time_point now);

    friend bool operator==(const local_holder&, const local_holder&) = default;

private:
    [[nodiscard]] std::optional<time_point> warning_due(time_point lease_end) const;

    local_id id_;
    std::optional<time_point> end_;
    duration warn_before_;
    bool warned_ = false;
    // The end of the lease that was known at the latest warning. Empty if warn() need not be called again at that time.
    std::optional<time_point> warned_of_;
};

}  // namespace turnstile::core
