// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_epochs.hpp"

#include "base/check.hpp"

namespace turnstile::core {

namespace {

// Limit for remembered sessions. Servers keep an old session for one timeout and two ticks, and a client ends few
// sessions within that time.
constexpr std::size_t k_most_past_sessions = 16;

constexpr const char* k_connection_limit =
    "; the client has other sessions, and a server may allow no more connections from this address "
    "(maxClientCnxns, 60 by default)";

}  // namespace

std::optional<error> session_epochs::refused() const {
    if (refusal_) return refusal_;
    return closing_ ? std::optional{error{errc::closed}} : std::nullopt;
}

void session_epochs::open(session_basics& basics) {
    reopen_at_.reset();
    ++count_;
    basics.actions.emplace_back(open_session{count_});
}

bool session_epochs::on_open_failed(const open_failed& failure, session_basics& basics) {
    if (failure.epoch != count_ || closing_) return false;
    not_opened_ = failure.why;
    reopen_later(basics);
    return true;
}

void session_epochs::leave(std::int64_t session, std::uint64_t connections) {
    if (session != 0) past_.push_back(session);
    if (past_.size() > k_most_past_sessions) past_.erase(past_.begin());
    earlier_connections_ += connections;
}

void session_epochs::close() noexcept {
    closing_ = true;
    reopen_at_.reset();
}

void session_epochs::refuse_for_good(const error& why) {
    TURNSTILE_CHECK(!refusal_);
    refusal_ = why;
}

bool session_epochs::enter(session_state next, const std::string& reason, session_basics& basics) {
    if (state_ == next || state_ == session_state::closed) return false;
    if (state_ == session_state::auth_failed && next != session_state::closed) return false;
    TURNSTILE_CHECK(next != session_state::closed || closing_);
    TURNSTILE_CHECK(next != session_state::auth_failed || refusal_);
    basics.actions.emplace_back(changed{{index_, count_, state_, next}, reason});
    state_ = next;
    return true;
}

error session_epochs::away_error(const std::string& subject, bool never_attached) const {
    if (not_opened_ == errc::unresolvable)
        return {errc::unresolvable, subject + ": " + not_opened_->detail()};
    return {errc::not_connected, subject + ", at " + servers_ +
                                     (never_attached && index_ > 0 ? k_connection_limit : "")};
}

}  // namespace turnstile::core
