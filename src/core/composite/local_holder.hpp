// SPDX-License-Identifier: Apache-2.0
// local_holder: the thread of a process that holds a contender which the process shares: until when by its own limit,
// and when it is warned that the end is near.
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
    // `end`: by the holder's own limit, if it has one; `warn_before`: zero for no warning.
    local_holder(local_id id, std::optional<time_point> end, duration warn_before)
        : id_{id}, end_{end}, warn_before_{warn_before} {}

    [[nodiscard]] local_id id() const noexcept { return id_; }
    [[nodiscard]] std::optional<time_point> end() const noexcept { return end_; }

    // When `warn` is to be called next. `lease_end`: until when the contender is certain, `min` once it is lost.
    [[nodiscard]] std::optional<time_point> next_warning(time_point lease_end) const;
    // True if the holder is to be warned now: once for each time that the lease runs so low. That it is confirmed anew
    // is no event here: it is looked for when the lease would have ended, and what runs low then is another one.
    [[nodiscard]] bool warn(time_point lease_end, time_point now);

    friend bool operator==(const local_holder&, const local_holder&) = default;

private:
    [[nodiscard]] std::optional<time_point> warning_due(time_point lease_end) const;

    local_id id_;
    std::optional<time_point> end_;
    duration warn_before_;
    bool warned_ = false;
    // The lease's end that the latest warning was about; nothing once that has passed.
    std::optional<time_point> warned_of_;
};

}  // namespace turnstile::core
