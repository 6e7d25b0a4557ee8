// SPDX-License-Identifier: Apache-2.0
// sign_ins: the users that have signed in. sign_in_door: checks passwords and slows down guesses.
//
//     sign_in_pace   how long a caller must wait between failed sign-ins
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "admin/access/users.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::admin {

// The users that have signed in, by their browsers' cookies. Each sign-in has a token, and every request that changes
// something must contain this token.
//
// Thread safety: all members from any thread.
class sign_ins {
public:
    struct ticket {
        std::string id;    // the cookie's value
        std::string csrf;  // each change must contain it; another site's page cannot read it
        user person;
        bool shared = false;  // with the shared password
    };

    [[nodiscard]] ticket begin(const user& person, bool shared, boottime_clock::time_point now);
    // Returns the sign-in of the browser with this cookie. Returns nothing if the cookie is unknown or older than 12
    // hours.
    [[nodiscard]] std::optional<ticket> find(std::string_view id, boottime_clock::time_point now);
    void end(std::string_view id);

    // Returns the value of a new cookie that identifies a browser after a sign-in. The cookie is valid for 30 days, or
    // until this program ends.
    [[nodiscard]] std::string remember_browser(boottime_clock::time_point now);
    [[nodiscard]] bool knows_browser(std::string_view id, boottime_clock::time_point now);

private:
    struct record {
        std::string csrf;
        user person;
        bool shared = false;
        boottime_clock::time_point until{};
    };
    // The keys are digests, so that the duration of a search reveals nothing about an id.
    template <class Record>
    using by_digest = std::map<std::string, Record>;
    struct browser {
        boottime_clock::time_point until{};
    };
    template <class Record>
    static void make_room(by_digest<Record>& records, boottime_clock::time_point now);

    std::mutex mutex_;
    by_digest<record> records_;
    by_digest<browser> browsers_;
};

// Returns the value of the cookie `name` from the header `Cookie`; empty if this cookie is missing.
[[nodiscard]] std::string_view cookie_of(std::string_view header, std::string_view name) noexcept;

// The time that a caller must wait between failed sign-ins: first not at all, then longer and longer, up to 16 s. Each
// caller has a separate key, so callers do not delay each other. The key is the peer_key() of the address, or the
// browser if it has signed in before.
//
// A full table (4,096 keys) drops the key whose latest failure is the oldest. So an attacker with more addresses can
// guess more often, but cannot lock out a user.
//
// Thread safety: a value; one thread at a time.
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

// Checks passwords and slows down guesses. After a caller's fourth failure, its next attempts must wait longer and
// longer, up to 16 s (sign_in_pace). A caller is an address, or a browser that has signed in before. So failures of
// other addresses, or of strangers behind the same address, do not delay a user with a known browser. The check of a
// named user's password costs memory and time. So at most four checks run at the same time for strangers, and four for
// known browsers.
//
// Thread safety: all members from any thread.
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
