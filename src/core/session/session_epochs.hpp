// SPDX-License-Identifier: Apache-2.0
// session_epochs: which sessions of the servers a client has had, when the next one is opened, and the state that
// callers see.
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
    // No caller can be served any more; why.
    [[nodiscard]] std::optional<error> refused() const;
    // Opened so far: the number of the latest.
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    // Of the epochs before this one.
    [[nodiscard]] std::uint64_t earlier_connections() const noexcept {
        return earlier_connections_;
    }
    // An earlier session of this client, whose znodes may still stand: no caller acts by them any more.
    [[nodiscard]] bool has_left(std::int64_t session) const {
        return std::find(past_.begin(), past_.end(), session) != past_.end();
    }
    [[nodiscard]] const std::optional<time_point>& reopen_at() const noexcept { return reopen_at_; }

    void open(session_basics& basics);
    // Returns true if the epoch ends by it.
    [[nodiscard]] bool on_open_failed(const open_failed& failure, session_basics& basics);
    // A server answers; and it has taken the session.
    void found_server() noexcept { not_opened_.reset(); }
    void attached() noexcept { reopening_.reset(); }
    // The epoch is over, or left.
    void leave(std::int64_t session, std::uint64_t connections);
    void reopen_later(session_basics& basics) {
        reopen_at_ = basics.now + reopening_.draw(basics.chance);
    }
    // No epoch is opened any more.
    void close() noexcept;
    void refuse_for_good(const error& why);
    // Returns true if the state is another one now.
    [[nodiscard]] bool enter(session_state next, const std::string& reason, session_basics& basics);
    // Why `subject` has no answer while there is no connection.
    [[nodiscard]] error away_error(const std::string& subject, bool never_attached) const;

    friend bool operator==(const session_epochs&, const session_epochs&) = default;

private:
    unsigned index_;
    std::string servers_;
    base::back_off reopening_;
    session_state state_ = session_state::connecting;
    std::uint64_t count_ = 0;
    std::uint64_t earlier_connections_ = 0;
    std::vector<std::int64_t> past_;       // the latest sessions before this one
    std::optional<time_point> reopen_at_;  // while there is no epoch
    std::optional<error> not_opened_;      // why the latest attempt to open a session failed
    std::optional<error> refusal_;         // for good: credentials
    bool closing_ = false;
};

}  // namespace turnstile::core
