// SPDX-License-Identifier: Apache-2.0
// sign_in_pace: how long a caller must wait between failed sign-ins: first not at all, then longer and longer, up to 16
// s. Each caller has a separate key, so callers do not delay each other. The key is the peer_key() of the address, or
// the browser if it has signed in before.
//
// A full table (4,096 keys) drops the key whose latest failure is the oldest. So an attacker with more addresses can
// guess more often, but cannot lock out a user.
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

#include "turnstile/clock.hpp"

namespace turnstile::admin {

class sign_in_pace {
public:
    static constexpr unsigned k_free_failures = 4;
    static constexpr std::chrono::seconds k_longest_wait{16};
    static constexpr std::chrono::minutes k_memory{15};
    static constexpr std::size_t k_most_keys = 4'096;

    // Returns how long the caller must still wait; zero if the caller need not wait.
    [[nodiscard]] std::chrono::milliseconds wait(const std::string& key,
                                                 boottime_clock::time_point now) const;
    void failed(const std::string& key, boottime_clock::time_point now);
    void succeeded(const std::string& key);

private:
    struct record {
        unsigned failures = 0;
        boottime_clock::time_point last{};
    };
    void make_room(boottime_clock::time_point now);

    std::map<std::string, record> records_;
};

}  // namespace turnstile::admin
