// SPDX-License-Identifier: Apache-2.0
// sign_ins: which browsers have given the password, by their cookies, and the token that each of their changes carries.
//
// Thread safety: all members from any thread.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "turnstile/clock.hpp"

namespace turnstile::admin {

class sign_ins {
public:
    struct ticket {
        std::string id;    // the cookie's value
        std::string csrf;  // a page of another site cannot read it
    };

    [[nodiscard]] ticket begin(boottime_clock::time_point now);
    // Nothing for an unknown cookie, and for one that is older than 12 hours.
    [[nodiscard]] std::optional<ticket> find(std::string_view id, boottime_clock::time_point now);
    void end(std::string_view id);

private:
    struct record {
        std::string csrf;
        boottime_clock::time_point until{};
    };
    void make_room(boottime_clock::time_point now);

    std::mutex mutex_;
    std::map<std::string, record>
        records_;  // by the digest: how long a search takes tells of no id
};

// The value of one cookie in the header `Cookie`; empty if it is not there.
[[nodiscard]] std::string_view cookie_of(std::string_view header, std::string_view name) noexcept;

}  // namespace turnstile::admin
