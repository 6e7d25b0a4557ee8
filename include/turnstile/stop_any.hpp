// SPDX-License-Identifier: Apache-2.0
// stop_any: a stop token that is triggered as soon as one of several other tokens is triggered.
//
// Use it for work that must stop at a shutdown and also at the loss of a lock.
//
//     turnstile::stop_any over{shutdown.get_token(), hold->lost()};
//     work(over.token());
//
// Thread safety: any thread may call token().
#pragma once

#include <initializer_list>
#include <list>
#include <stop_token>

#include "turnstile/language.hpp"

namespace turnstile {

// Combines stop tokens.
class stop_any {
public:
    // Makes the combined token. It is triggered at once if one of `tokens` is triggered already. A token that can never
    // be triggered has no effect.
    stop_any(std::initializer_list<std::stop_token> tokens) {
        for (const auto& token : tokens) relays_.emplace_back(token, relay{source_});
    }
    stop_any(const stop_any&) = delete;
    stop_any& operator=(const stop_any&) = delete;
    // After the destruction of this object the combined token keeps its state. The destructor waits if another thread
    // is just triggering the token.
    ~stop_any() = default;

    // Returns the combined token.
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
