// SPDX-License-Identifier: Apache-2.0
// stamped_data: a znode's data with the version and the stamp that the servers gave to its last write.
//
// Thread safety: none, values.
#pragma once

#include <cstdint>
#include <string>

namespace turnstile::detail {

// A znode's data as it was read; version -1 if it was not there.
struct stamped_data {
    std::string text;
    std::int32_t version = -1;
    std::int64_t changed = 0;  // mtime, milliseconds since 1970, the leader's clock
    [[nodiscard]] bool exists() const noexcept { return version >= 0; }
};

}  // namespace turnstile::detail
