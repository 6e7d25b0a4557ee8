// SPDX-License-Identifier: Apache-2.0
#include "turnstile/stop_signal.hpp"

#include <cstring>
#include <memory>
#include <stop_token>

namespace turnstile {

namespace {

static_assert(sizeof(std::stop_token) == sizeof(void*));
static_assert(alignof(std::stop_token) == alignof(void*));

// A token where a stop_signal keeps only its bytes: it is moved in and out as bytes, which a class of one
// pointer without a pointer to itself may be.
class token_bytes {
public:
    explicit token_bytes(void* state) noexcept { std::memcpy(&bytes_, &state, sizeof state); }
    explicit token_bytes(std::stop_token&& token) noexcept {
        std::construct_at(&token_, std::move(token));
    }
    ~token_bytes() {}  // whoever has the bytes has the token
    token_bytes(const token_bytes&) = delete;
    token_bytes& operator=(const token_bytes&) = delete;

    [[nodiscard]] std::stop_token& token() noexcept { return token_; }
    [[nodiscard]] void* state() const noexcept {
        void* state = nullptr;
        std::memcpy(&state, &bytes_, sizeof state);
        return state;
    }

private:
    union {
        unsigned char bytes_[sizeof(void*)];
        std::stop_token token_;
    };
};

}  // namespace

// An empty token is kept as none: so copies of it cost nothing.
stop_signal::stop_signal(std::stop_token token) noexcept {
    if (token != std::stop_token{}) state_ = token_bytes{std::move(token)}.state();
}

stop_signal::operator std::stop_token() const noexcept {
    if (state_ == nullptr) return {};
    return token_bytes{state_}.token();
}

void* stop_signal::share() const noexcept {
    std::stop_token copy{token_bytes{state_}.token()};
    return token_bytes{std::move(copy)}.state();
}

void stop_signal::let_go() noexcept {
    std::destroy_at(&token_bytes{std::exchange(state_, nullptr)}.token());
}

bool stop_signal::requested() const noexcept {
    return token_bytes{state_}.token().stop_requested();
}

bool stop_signal::possible() const noexcept {
    return token_bytes{state_}.token().stop_possible();
}

}  // namespace turnstile
