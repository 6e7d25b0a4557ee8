// SPDX-License-Identifier: Apache-2.0
// sign_ins: the users that have signed in, by their browsers' cookies. Each sign-in has a token, and every request that
// changes something must contain this token.
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

}  // namespace turnstile::admin
