// SPDX-License-Identifier: Apache-2.0
// latest_failure: the reason why a client's sessions found no server that they could use. The sessions write the
// reason. An error for a caller without a session quotes it (core::coordinator::last_failure).
//
// Thread safety: all members from any thread.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/mutex.hpp"
#include "turnstile/error.hpp"

namespace turnstile::base {

class latest_failure {
public:
    void set(error why) {
        const lock_guard lock{mutex_};
        why_ = std::move(why);
        wait_.clear();
    }
    void clear() {
        const lock_guard lock{mutex_};
        why_.reset();
        wait_.clear();
    }
    // Called while an attempt to attach has a connection to `server`, and the server has not answered yet.
    void set_silent(const std::string& server) {
        const lock_guard lock{mutex_};
        wait_ = server + ": accepts connections, but does not answer";
    }
    // Returns why the latest attempt failed, or that it waits for a server's answer. Empty if there was no attempt.
    [[nodiscard]] std::string state() const {
        const lock_guard lock{mutex_};
        return why_ ? std::string{why_->detail()} : wait_;
    }
    [[nodiscard]] std::optional<error> get() const {
        const lock_guard lock{mutex_};
        return why_;
    }

private:
    mutable mutex mutex_;
    std::optional<error> why_ GUARDED_BY(mutex_);
    std::string wait_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::base
