// SPDX-License-Identifier: Apache-2.0
// thread_turn: whose turn it is to work for a session: its own thread's, or that of a caller who waits for an answer
// and helps meanwhile (coordinator_session::help).
//
// | turn of             | from                                    | until                                            |
// |---------------------|-----------------------------------------|--------------------------------------------------|
// | the own thread      | `resume`                                | `rest`, before it waits for something to do      |
// | nobody: it rests    | `rest`, or a caller's `end_help`        | `resume`, or a caller's `begin_help`             |
// | a caller that helps | `begin_help`                            | `end_help`                                       |
//
// Thread safety: all members under the session's lock; what is not under it belongs to the thread whose turn it is.
#pragma once

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"

namespace turnstile::local {

class thread_turn {
public:
    // ---- for the session's own thread ----
    void rest() noexcept { turn_ = whose::nobodys; }
    // Waits for a caller that helps; true if there was one. `ask_to_leave` asks it.
    template <class F>
    bool resume(base::unique_lock& session, F&& ask_to_leave) {
        const boost::this_thread::disable_interruption uninterrupted;
        const bool helped = turn_ == whose::helpers;
        if (helped) {
            wanted_ = true;
            ask_to_leave();
            while (turn_ == whose::helpers) left_.wait(session);
            wanted_ = false;
        }
        turn_ = whose::own;
        return helped;
    }

    // ---- for a caller ----
    // False if it is not nobody's turn.
    [[nodiscard]] bool begin_help() noexcept {
        if (turn_ != whose::nobodys) return false;
        turn_ = whose::helpers;
        return true;
    }
    // The own thread waits for it.
    [[nodiscard]] bool is_wanted() const noexcept { return wanted_; }
    void end_help() noexcept {
        turn_ = whose::nobodys;
        if (wanted_) left_.notify_all();
    }

private:
    enum class whose { own, nobodys, helpers };

    base::condition left_;
    whose turn_ = whose::own;
    bool wanted_ = false;
};

}  // namespace turnstile::local
