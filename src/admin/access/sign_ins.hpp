// SPDX-License-Identifier: Apache-2.0
// sign_ins: the users that have signed in, by the cookies of their browsers, and the token that each change carries.
//
// Thread safety: all members from any thread.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "admin/access/users.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::admin {

class sign_ins {
public:
    struct ticket {
        std::string id;    // the cookie's value
        std::string csrf;  // a page of another site cannot read it
        user person;
        bool shared = false;  // by the shared password
    };

    [[nodiscard]] ticket begin(const user& person, bool shared, boottime_clock::time_point now);
    // Nothing for an unknown cookie, and for one that is older than 12 hours.
    [[nodiscard]] std::optional<ticket> find(std::string_view id, boottime_clock::time_point now);
    void end(std::string_view id);

    // The value of a cookie by which a browser is known that has signed in, for 30 days or until this program ends.
    [[nodiscard]] std::string remember_browser(boottime_clock::time_point now);
    [[nodiscard]] bool knows_browser(std::string_view id, boottime_clock::time_point now);

private:
    struct record {
        std::string csrf;
        user person;
        bool shared = false;
        boottime_clock::time_point until{};
    };
    // By the digest: how long a search takes tells of no id.
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

// The value of one cookie in the header `Cookie`; empty if it is not there.
[[nodiscard]] std::string_view cookie_of(std::string_view header, std::string_view name) noexcept;

}  // namespace turnstile::admin
