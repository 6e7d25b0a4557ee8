// SPDX-License-Identifier: Apache-2.0
#include "turnstile/server_role.hpp"

#include <array>
#include <cstddef>

namespace turnstile {

std::string_view to_string(server_role role) noexcept {
    constexpr std::array<std::string_view, 6> names{"unknown",  "standalone", "leader",
                                                    "follower", "observer",   "read_only"};
    return names.at(static_cast<std::size_t>(role));
}

}  // namespace turnstile
