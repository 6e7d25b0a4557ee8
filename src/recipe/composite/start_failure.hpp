// SPDX-License-Identifier: Apache-2.0
// start_failure: why a multi_hold's present start came to nothing: the first refusal of a part for a reason of its own,
// or else the last loss of a part that was held already.
//
// Thread safety: none, a value.
#pragma once

#include <optional>
#include <utility>

#include "turnstile/error.hpp"

namespace turnstile::detail {

class start_failure {
public:
    void refuse(error why) {
        if (!refusal_) refusal_ = std::move(why);
    }
    void lose(error why) { loss_ = std::move(why); }
    // A new start, or the next part of this one.
    void go_on() { *this = {}; }

    // The answer itself, or the loss of another part that it was withdrawn for; neither: `unknown`.
    [[nodiscard]] const error& why(const error& unknown) const {
        if (refusal_) return *refusal_;
        return loss_ ? *loss_ : unknown;
    }
    [[nodiscard]] const std::optional<error>& loss() const noexcept { return loss_; }

private:
    std::optional<error> refusal_;
    std::optional<error> loss_;
};

}  // namespace turnstile::detail
