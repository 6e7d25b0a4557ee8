// SPDX-License-Identifier: Apache-2.0
#include "turnstile/stop_signal.hpp"

#include <stop_token>

namespace turnstile {

struct stop_signal::kept_token {
    std::stop_token token;
};

stop_signal::stop_signal(std::stop_token token)
    : kept_{token.stop_possible() ? new kept_token{std::move(token)} : nullptr} {}

stop_signal::operator std::stop_token() const noexcept {
    return kept_ == nullptr ? std::stop_token{} : kept_->token;
}

stop_signal::kept_token* stop_signal::copied() const {
    return new kept_token{*kept_};
}

void stop_signal::let_go() noexcept {
    delete kept_;
}

bool stop_signal::requested() const noexcept {
    return kept_->token.stop_requested();
}

bool stop_signal::possible() const noexcept {
    return kept_->token.stop_possible();
}

}  // namespace turnstile
