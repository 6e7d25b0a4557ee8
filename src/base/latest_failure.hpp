// SPDX-License-Identifier: Apache-2.0
// latest_failure: why the sessions of a coordinator found no server to attach to. The sessions write it. Every
// message for a caller without a session reads it (core::coordinator::last_failure).
//
// Thread safety: all members from any thread.
#pragma once

#include <optional>
#include <utility>

#include "base/mutex.hpp"
#include "turnstile/error.hpp"

namespace turnstile::base {

class latest_failure {
public:
    // An attempt to attach has failed.
    void set(error why) {
        const lock_guard lock{mutex_};
        why_ = std::move(why);
    }
    // A session is attached.
    void clear() {
        const lock_guard lock{mutex_};
        why_.reset();
    }
    [[nodiscard]] std::optional<error> get() const {
        const lock_guard lock{mutex_};
        return why_;
    }

private:
    mutable mutex mutex_;
    std::optional<error> why_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::base
