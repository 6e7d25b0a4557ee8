// SPDX-License-Identifier: Apache-2.0
// parent_creation: creates a folder and its parents after a contender's create has found the folder missing.
//
// The contender sends all creates without waiting for answers, although most of the znodes usually exist. It reports a
// refusal to its caller only if its next create finds the folder missing again.
//
// Thread safety: none, a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/contender/answers.hpp"
#include "core/contender/contender_session.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core {

class parent_creation {
public:
    // A semaphore's folder has the number of permits in its data.
    enum class folder_kind : std::uint8_t { plain, semaphore };

    [[nodiscard]] bool is_under_way() const noexcept { return !creating_.empty(); }
    [[nodiscard]] bool expects(ticket id) const;

    [[nodiscard]] std::optional<error> create(contender_session& c, const std::string& folder,
                                              folder_kind kind,
                                              std::optional<std::int32_t> permits);
    consequence on_answer(contender_session& c, const std::string& folder, const reply& answer);
    void forget_requests() { creating_.clear(); }

    friend bool operator==(const parent_creation&, const parent_creation&) = default;

private:
    std::vector<ticket> creating_;
    int rounds_ = 0;
    std::optional<error> refusal_;
};

}  // namespace turnstile::core
