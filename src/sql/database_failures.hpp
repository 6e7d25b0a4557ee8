// SPDX-License-Identifier: Apache-2.0
// database_failures: the reasons for which a session has lost its database, and the pauses before the next attempts.
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

namespace turnstile::sql {

class database_failures {
public:
    explicit database_failures(std::shared_ptr<base::latest_failure> known)
        : known_{std::move(known)} {}

    // Returns true if the reason differs from the last reason in the log.
    [[nodiscard]] bool note(const database_error& why, base::random& chance) {
        known_->set(error_of(why));
        pause_ = retries_.draw(chance);
        return std::exchange(told_, why.what()) != why.what();
    }
    void attached() { known_->clear(); }
    // A statement after the attach has succeeded. A permanent fault (a revoked right, a missing table) lets each attach
    // succeed and the next statement fail. So an attach alone must not shorten the pause before the next attempt, or
    // let the log repeat the failure.
    void forget() noexcept {
        retries_.reset();
        told_.clear();
    }
    [[nodiscard]] base::back_off::duration pause() const noexcept { return pause_; }

private:
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
    std::string told_;
};

}  // namespace turnstile::sql
