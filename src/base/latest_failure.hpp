// SPDX-License-Identifier: Apache-2.0
// latest_failure: why the sessions of a coordinator found no server to attach to. The sessions write it. Every
// message for a caller without a session reads it (core::coordinator::last_failure).
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
    // An attempt to attach has failed.
    void set(error why) {
        const lock_guard lock{mutex_};
        why_ = std::move(why);
        wait_.clear();
    }
    // A session is attached.
    void clear() {
        const lock_guard lock{mutex_};
        why_.reset();
        wait_.clear();
    }
    // An attempt to attach has a connection to this server, and waits for an answer.
    void set_silent(const std::string& server) {
        const lock_guard lock{mutex_};
        wait_ = server + ": accepts connections, and does not answer";
    }
    // Why the latest attempt failed, or what it waits for; empty: there was none.
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
