// SPDX-License-Identifier: Apache-2.0
// look_schedule: the times at which a session's thread extends its session, reads its bell (the messages that wake it),
// removes empty container znodes, and checks whether other sessions have ended.
//
// Thread safety: a value, for one thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/back_off.hpp"
#include "base/random.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::sql {

// The pauses between attempts to change a row that a user's own transaction has locked.
[[nodiscard]] inline base::back_off looks_for_a_row() noexcept {
    return {std::chrono::milliseconds{1}, std::chrono::milliseconds{200}};
}

class look_schedule {
public:
    look_schedule(core::duration session_timeout, std::chrono::microseconds container_interval)
        : touch_every_{session_timeout / 3},
          listen_every_{session_timeout / 10},
          container_interval_{container_interval} {}

    void touched(core::time_point at) noexcept { touched_ = at; }
    [[nodiscard]] bool is_touch_due(core::time_point now) const noexcept {
        return now >= touched_ + touch_every_;
    }
    // True if the session should now check whether another session has woken it, although it has requests to execute. A
    // session that always has requests never waits for a wake-up. In MySQL the wake-ups arrive on a second connection
    // (mariadb_bell.hpp). MySQL closes a connection that sends nothing for `wait_timeout` (mariadb_flavour.cpp). The
    // session would then lose its first connection, too.
    [[nodiscard]] bool is_listening_due(core::time_point now) const noexcept {
        return now >= listened_ + listen_every_;
    }
    void listened(core::time_point now) noexcept { listened_ = now; }
    [[nodiscard]] bool is_clean_due(core::time_point now) const noexcept {
        return now >= clean_at_;
    }
    [[nodiscard]] std::chrono::microseconds container_interval() const noexcept {
        return container_interval_;
    }
    void cleaned(core::time_point now) noexcept { clean_at_ = now + container_interval_; }

    // `left`: the time until the earliest deadline of another session, if there is another session.
    void set_next_end(const std::optional<std::chrono::microseconds>& left) {
        next_end_.reset();
        if (left) next_end_ = boottime_clock::now() + *left;
    }
    // Returns true if the caller must now check for ended sessions. In this case, the function also counts the check as
    // one of the checks that follow the end of a process.
    [[nodiscard]] bool take_look(core::time_point now) noexcept {
        const bool due = next_end_ && now >= *next_end_;
        if (!due && looks_ == 0) return false;
        if (looks_ > 0) --looks_;
        return true;
    }
    // Records a check. `held`: the check could not end an expired session, because a user's transaction has locked one
    // of its rows. The next check then follows soon, and repeated failures lengthen the interval.
    void looked(bool held, base::random& chance) {
        if (!held) held_looks_.reset();
        held_pause_ = held_looks_.draw(chance);
        looked_ = boottime_clock::now();
    }
    void look_again() noexcept { looks_ = std::max(looks_, 1); }
    // Call this when another process has closed its session's file. The kernel may release the file's lock a moment
    // later, so several checks follow.
    void process_departed() noexcept {
        looks_ = k_looks;
        looked_ = {};
    }
    // `watching`: the session has watches. Such a session waits for other sessions' znodes, so it must check whether
    // those sessions have ended.
    [[nodiscard]] core::time_point next(bool watching) const noexcept {
        auto next = std::min(touched_ + touch_every_, clean_at_);
        if (!watching) return next;
        if (next_end_) next = std::min(next, std::max(*next_end_, looked_ + held_pause_));
        if (looks_ > 0) next = std::min(next, looked_ + k_first_look * (1 << (k_looks - looks_)));
        return next;
    }

private:
    static constexpr std::chrono::milliseconds k_first_look{1};
    static constexpr int k_looks = 7;

    const core::duration touch_every_;
    const core::duration listen_every_;
    const std::chrono::microseconds container_interval_;
    core::time_point touched_{};
    core::time_point listened_{};
    core::time_point clean_at_{};
    std::optional<core::time_point> next_end_;
    int looks_ = 0;  // number of further checks for a process that may have ended
    core::time_point looked_{};
    core::duration held_pause_{};  // before the next check for a row that a user has locked
    base::back_off held_looks_ = looks_for_a_row();
};

}  // namespace turnstile::sql
