// SPDX-License-Identifier: Apache-2.0
// http_traffic: a server's counters since its start, and its number of open connections.
//
// Thread safety: a value.
#pragma once

#include <cstddef>
#include <cstdint>

namespace turnstile::admin {

struct http_traffic {
    std::size_t connections = 0;  // open
    std::size_t streams = 0;      // running
    std::uint64_t answered = 0;
    std::uint64_t refused = 0;
};

}  // namespace turnstile::admin
