// SPDX-License-Identifier: Apache-2.0
// sign_in_door: checks passwords and slows down guesses.
//
// After four failures of a caller, its next attempts wait longer and longer, 16 s at most (sign_in_pace). A caller is
// an address, or a browser that has signed in before. So failures of another address, or of a stranger behind the same
// address, do not delay a person with a known browser. A check of a named user's password costs memory and time. Four
// checks run at a time for strangers, and four for known browsers.
//
// Thread safety: all members from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

#include "admin/access/secrets.hpp"
#include "admin/access/sign_in_pace.hpp"
#include "admin/access/sign_ins.hpp"

namespace turnstile::admin {

class sign_in_door {
public:
    sign_in_door(const secrets& known, sign_ins& records) : known_{known}, records_{records} {}

    struct visitor {
        std::string address;
        std::string browser;  // the cookie of remember_browser(); empty: none
    };
    // An empty name means the shared password. Throws refusal: 401 sign_in; 429 too_many, with the time to wait.
    [[nodiscard]] sign_ins::ticket enter(const visitor& caller, const std::string& name,
                                         const std::string& password);

private:
    // Counts a failure before the check; a successful check takes that failure back. So guesses that arrive at the same
    // time are all counted.
    void begin_try(const std::string& key);
    [[nodiscard]] sign_ins::ticket check(const std::string& name, const std::string& password,
                                         std::atomic<std::size_t>& checks);

    const secrets& known_;
    sign_ins& records_;
    std::mutex mutex_;
    sign_in_pace pace_;
    std::atomic<std::size_t> checks_of_strangers_{0};
    std::atomic<std::size_t> checks_of_known_{0};
};

}  // namespace turnstile::admin
