// SPDX-License-Identifier: Apache-2.0
// start_failure: the reason why a multi_hold failed to get all parts. The reason is the first refusal that ends the
// call, or otherwise the latest loss of a held part. core::all_of::refusal says which refusals end the call.
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
    // Forgets the reasons. Must be called before the multi_hold starts over, or requests the next lock.
    void go_on() { *this = {}; }

    // Returns the refusal that has ended the call. Without a refusal, returns the latest loss of a lock, and without a
    // loss `unknown`.
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
