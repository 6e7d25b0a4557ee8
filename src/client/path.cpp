// SPDX-License-Identifier: Apache-2.0
#include "turnstile/tools/path.hpp"

#include "base/path.hpp"

namespace turnstile {

result<void> validate_path(std::string_view path) {
    return base::validate_path(path);
}

}  // namespace turnstile
