// SPDX-License-Identifier: Apache-2.0
// core_folder: the folder from which the dynamic linker loaded the core library. The library finds its modules and the
// guardian relative to this folder.
//
// Thread safety: from any thread.
#pragma once

#include <string>

namespace turnstile::base {

// Returns the folder of the core library, without a '/' at its end; empty if the core library is part of the program.
[[nodiscard]] std::string folder_of_core();

}  // namespace turnstile::base
