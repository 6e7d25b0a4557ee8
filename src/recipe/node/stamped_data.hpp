// SPDX-License-Identifier: Apache-2.0
// stamped_data: a znode's data, with the version and the time stamp of the last write to the znode. The servers assign
// the version and the time stamp.
//
// Thread safety: none, values.
#pragma once

#include <cstdint>
#include <string>

namespace turnstile::detail {

// Data of a znode as they were read; the version is -1 if there was no znode.
struct stamped_data {
    std::string text;
    std::int32_t version = -1;
    std::int64_t changed = 0;  // mtime: ms since 1970, by the clock of the servers' leader
    [[nodiscard]] bool exists() const noexcept { return version >= 0; }
};

}  // namespace turnstile::detail
