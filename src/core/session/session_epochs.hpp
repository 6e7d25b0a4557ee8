// SPDX-License-Identifier: Apache-2.0
// session_epochs: the servers' sessions that a client had before, the time at which it opens the next session, and
// the state that callers see.
//
// Thread safety: none, a value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/back_off.hpp"
#include "core/session/session_basics.hpp"
#include "core/session/session_core_settings.hpp"
#include "turnstile/session_state.hpp"

namespace turnstile::core {

class session_epochs {
public:
    explicit session_epochs(const session_core_settings& settings)
        : index_{settings.index},
          servers_{settings.servers},
          reopening_{settings.retry_first, settings.retry_longest} {}

    [[nodiscard]] session_state state() const noexcept { return state_; }
    [[nodiscard]] bool closing() const noexcept { return closing_; }
    // Returns the reason why the client cannot serve callers any more, if there is one.
    [[nodiscard]] std::optional<error> refused() const;
    // Returns the number of sessions (epochs) that were opened at the servers. This is also the number of the latest
    // epoch.
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    // Returns the total number of connections of the sessions that have ended.
    [[nodiscard]] std::uint64_t earlier_connections() const noexcept {
        return earlier_connections_;
    }
    // True for an earlier session of this client whose znodes may still exist, although no caller relies on them.
    [[nodiscard]] bool has_left(std::int64_t session) const {
        return std::find(past_.begin(), past_.end(), session) != past_.end();
    }
    [[nodiscard]] const std::optional<time_point>& reopen_at() const noexcept { return reopen_at_; }

    void open(session_basics& basics);
    [[nodiscard]] bool on_open_failed(const open_failed& failure, session_basics& basics);
    // found_server: called when a server has answered. attached: called when a server has accepted the session.
    void found_server() noexcept { not_opened_.reset(); }
    void attached() noexcept { reopening_.reset(); }
    // Called when the session at the servers has ended, or when the client gives it up.
    void leave(std::int64_t session, std::uint64_t connections);
    void reopen_later(session_basics& basics) {
        reopen_at_ = basics.now + reopening_.draw(basics.chance);
    }
    void close() noexcept;
    void refuse_for_good(const error& why);
    [[nodiscard]] bool enter(session_state next, const std::string& reason, session_basics& basics);
    // Returns the error for `subject`, which got no answer because there is no connection.
    [[nodiscard]] error away_error(const std::string& subject, bool never_attached) const;

    friend bool operator==(const session_epochs&, const session_epochs&) = default;

private:
    unsigned index_;
    std::string servers_;
    base::back_off reopening_;
    session_state state_ = session_state::connecting;
    std::uint64_t count_ = 0;
    std::uint64_t earlier_connections_ = 0;
    std::vector<std::int64_t> past_;       // the latest sessions before the present one
    std::optional<time_point> reopen_at_;  // set while no session is open
    // The error of the latest attempt to open a session, if it failed.
    std::optional<error> not_opened_;
    std::optional<error> refusal_;  // final: the servers refused the credentials
    bool closing_ = false;
};

}  // namespace turnstile::core
