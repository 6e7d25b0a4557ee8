// SPDX-License-Identifier: Apache-2.0
// option_name: the name of an option in messages.
#pragma once

#include <string>

namespace turnstile::cli {

// Returns the last name in CLI11's list of an option's names, such as "--wait" for "-w,--wait".
inline std::string option_name(const std::string& names) {
    return names.substr(names.rfind(',') + 1);
}

}  // namespace turnstile::cli
