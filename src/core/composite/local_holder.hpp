// SPDX-License-Identifier: Apache-2.0
// local_holder: the thread of this process that currently holds a shared contender: its own time limit, and the time of
// its warning before the end.
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
    // `end`: the holder's own limit, if it has one. `warn_before`: zero for no warning.
    local_holder(local_id id, std::optional<time_point> end, duration warn_before)
        : id_{id}, end_{end}, warn_before_{warn_before} {}

    [[nodiscard]] local_id id() const noexcept { return id_; }
    [[nodiscard]] std::optional<time_point> end() const noexcept { return end_; }

    // When to call `warn` next. `lease_end`: the end of the contender's lease, `min` once the contender is lost.
    [[nodiscard]] std::optional<time_point> next_warning(time_point lease_end) const;
    // Returns true if the holder must be warned now: once each time that the remaining time falls below warn_before. No
    // event reports that the lease was extended. Therefore `warn` checks again at the old lease end, and may then warn
    // again.
    [[nodiscard]] bool warn(time_point lease_end, time_point now);

    friend bool operator==(const local_holder&, const local_holder&) = default;

private:
    [[nodiscard]] std::optional<time_point> warning_due(time_point lease_end) const;

    local_id id_;
    std::optional<time_point> end_;
    duration warn_before_;
    bool warned_ = false;
    // The lease end of the latest warning; nothing once that instant has passed.
    std::optional<time_point> warned_of_;
};

}  // namespace turnstile::core
