// SPDX-License-Identifier: Apache-2.0
// sign_in_door: checks passwords and slows down guesses.
//
// After a caller's fourth failure, its next attempts must wait longer and longer, up to 16 s (sign_in_pace). A caller
// is an address, or a browser that has signed in before. So failures of other addresses, or of strangers behind the
// same address, do not delay a user with a known browser. The check of a named user's password costs memory and time.
// So at most four checks run at the same time for strangers, and four for known browsers.
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
    // Signs a user in. An empty name means the shared password. Throws refusal: 401 sign_in; 429 too_many, with the
    // time to wait.
    [[nodiscard]] sign_ins::ticket enter(const visitor& caller, const std::string& name,
                                         const std::string& password);

private:
    // Counts a failure for the caller `key` before the password check. If the password is right, enter() removes the
    // failure again. So simultaneous guesses all count.
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
