// SPDX-License-Identifier: Apache-2.0
// database_failures: records why a session has lost its database, and chooses the pause before the next connection
// attempt.
//
// Thread safety: one thread. The object that callers read (latest_failure.hpp) is safe from any thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "base/back_off.hpp"
#include "base/latest_failure.hpp"
#include "base/random.hpp"
#include "sql/database.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::sql {

class database_failures {
public:
    explicit database_failures(std::shared_ptr<base::latest_failure> known)
        : known_{std::move(known)} {}

    // Records a failure. Returns true if the caller must log it, because the message differs from the last logged
    // message.
    [[nodiscard]] bool note(const database_error& why, base::random& chance) {
        known_->set(error_of(why));
        pause_ = retries_.draw(chance);
        if (why.kind() == failure::fatal) kept_until_ = boottime_clock::now() + k_kept;
        return std::exchange(told_, why.what()) != why.what();
    }
    void attached() { known_->clear(); }
    // Resets the pause and the last logged message. Call this only when a statement after the attach has succeeded:
    // after a permanent fault (a revoked right, a missing table), each attach succeeds and the next statement fails.
    // Does nothing in the first seconds after a permanent fault, because statements that do not meet the fault may
    // succeed between two attaches.
    void forget() noexcept {
        if (boottime_clock::now() < kept_until_) return;
        retries_.reset();
        told_.clear();
    }
    [[nodiscard]] base::back_off::duration pause() const noexcept { return pause_; }

private:
    static constexpr std::chrono::seconds k_kept{10};

    // Returns the error for a caller whose client has no session yet.
    [[nodiscard]] static error error_of(const database_error& why) {
        switch (why.kind()) {
            case failure::refused: return {errc::auth_failed, why.what()};
            case failure::too_old: return {errc::server_too_old, why.what()};
            case failure::retry:
            case failure::row_held:
            case failure::lost:
            case failure::fatal: break;
        }
        return {errc::not_connected, why.what()};
    }

    const std::shared_ptr<base::latest_failure> known_;
    base::back_off::duration pause_{};
    base::back_off retries_{std::chrono::milliseconds{20}, std::chrono::seconds{1}};
    boottime_clock::time_point kept_until_{};
    std::string told_;
};

}  // namespace turnstile::sql
