// SPDX-License-Identifier: Apache-2.0
// stop_any: a stop token that is triggered as soon as one of several is.
//
//     turnstile::stop_any over{shutdown.get_token(), hold->lost()};
//     work(over.token());
//
// Thread safety: `token` from any thread.
#pragma once

#include <initializer_list>
#include <list>
#include <stop_token>

#include "turnstile/language.hpp"

namespace turnstile {

class stop_any {
public:
    // Triggered at once if one of them is. One that is never triggered adds nothing.
    stop_any(std::initializer_list<std::stop_token> tokens) {
        for (const auto& token : tokens) relays_.emplace_back(token, relay{source_});
    }
    stop_any(const stop_any&) = delete;
    stop_any& operator=(const stop_any&) = delete;
    // Afterwards the token stays as it is. A relay that is under way on another thread is waited for.
    ~stop_any() = default;

    [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }

private:
    struct relay {
        std::stop_source source;
        void operator()() noexcept { source.request_stop(); }
    };

    std::stop_source source_;
    std::list<std::stop_callback<relay>> relays_;
};

}  // namespace turnstile
