// SPDX-License-Identifier: Apache-2.0
// option_name: the name of an option in messages.
#pragma once

#include <string>

namespace turnstile::cli {

// Returns the long name of an option that CLI11 knows as "-w,--wait".
inline std::string option_name(const std::string& names) {
    return names.substr(names.rfind(',') + 1);
}

}  // namespace turnstile::cli
