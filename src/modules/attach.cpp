// SPDX-License-Identifier: Apache-2.0
// attach() for a module that is linked into the program. Does nothing, because such a module uses the core library's
// own objects.
#include "modules/entry.hpp"

namespace turnstile::modules {

void attach(const host* /*services*/) noexcept {}

}  // namespace turnstile::modules
