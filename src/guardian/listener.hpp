// SPDX-License-Identifier: Apache-2.0
// listener: the socket of a guardian that other processes find by its name.
//
// Thread safety: from any thread.
#pragma once

#include <string>

#include "base/descriptor.hpp"

namespace turnstile::guardian {

// "@turnstile-guardian-" and 32 random hexadecimal digits. Throws std::system_error.
[[nodiscard]] std::string random_name();

// An abstract name: it needs no folder that can be written, and nothing of it stays behind. Throws std::system_error.
[[nodiscard]] base::descriptor open_listener(const std::string& name);

}  // namespace turnstile::guardian
