// SPDX-License-Identifier: Apache-2.0
// start_failure: why the present start of a multi_hold failed: the first part refused for a reason that no other part
// caused, or else the last loss of a part that was held already.
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
    // Begins a new start, or the next part of this one.
    void go_on() { *this = {}; }

    // The part's answer itself, or the loss of another part for which it was withdrawn; `unknown` if there is neither.
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
