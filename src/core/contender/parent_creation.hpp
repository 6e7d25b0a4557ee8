// SPDX-License-Identifier: Apache-2.0
// parent_creation: makes a folder, and the znodes above it, that a create of a contender found missing.
//
// All creates are sent at once; most find that their znode is there. What one of them is refused counts only if the
// contender's create finds the folder missing once more.
//
// A value. Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/contender/consequence.hpp"
#include "core/contender/contender_session.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core {

class parent_creation {
public:
    // A folder that holds no permits, or so many.
    enum class folder_kind : std::uint8_t { plain, semaphore };

    [[nodiscard]] bool is_under_way() const noexcept { return !creating_.empty(); }
    [[nodiscard]] bool expects(ticket id) const;

    // Or says why the folder cannot be made.
    [[nodiscard]] std::optional<error> create(contender_session& c, const std::string& folder,
                                              folder_kind kind,
                                              std::optional<std::int32_t> permits);
    consequence on_answer(contender_session& c, const std::string& folder, const reply& answer);
    // The session is over, and its requests with it.
    void forget_requests() { creating_.clear(); }

    friend bool operator==(const parent_creation&, const parent_creation&) = default;

private:
    std::vector<ticket> creating_;
    int rounds_ = 0;
    std::optional<error> refusal_;
};

}  // namespace turnstile::core
