// SPDX-License-Identifier: Apache-2.0
// attach() in a module that is linked into the program: it does nothing, because the module uses the core's own
// objects.
#include "modules/entry.hpp"

namespace turnstile::modules {

void attach(const host* /*services*/) noexcept {}

}  // namespace turnstile::modules
