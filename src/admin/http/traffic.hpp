// SPDX-License-Identifier: Apache-2.0
// http_traffic: what a server has done since its start, and what is open at it now.
//
// Thread safety: a value.
#pragma once

#include <cstddef>
#include <cstdint>

namespace turnstile::admin {

struct http_traffic {
    std::size_t connections = 0;  // that are open
    std::size_t streams = 0;      // that run
    std::uint64_t answered = 0;
    std::uint64_t refused = 0;
};

}  // namespace turnstile::admin
