// SPDX-License-Identifier: Apache-2.0
// sign_in_pace: the time that a caller waits between two failed sign-ins: zero at first, then longer and longer, 16 s
// at most. Callers do not delay each other, because each has its own key: the address (in IPv6 its /64), or the
// browser, if it has signed in before.
//
// The table keeps 4,096 keys and forgets the key with the oldest failure. An attacker with more addresses than that can
// guess more often, but locks out no user.
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "turnstile/clock.hpp"

namespace turnstile::admin {

class sign_in_pace {
public:
    static constexpr unsigned k_free_failures = 4;
    static constexpr std::chrono::seconds k_longest_wait{16};
    static constexpr std::chrono::minutes k_memory{15};
    static constexpr std::size_t k_most_keys = 4'096;

    // Returns the time for which the caller must wait before its next sign-in is checked; zero: no wait.
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

// The key of an address: an IPv4 address itself, or the first 64 bits of an IPv6 address. An IPv4 address inside IPv6
// counts as IPv4.
[[nodiscard]] std::string address_block(std::string_view address);

}  // namespace turnstile::admin
