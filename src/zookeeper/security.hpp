// SPDX-License-Identifier: Apache-2.0
// context_for: TLS for one connection to a server, from the module libturnstile-tls.
//
// The files are read at each call, so that the next connection uses a renewed certificate.
//
// Thread safety: from any thread.
#pragma once

#include "tls/tls.hpp"

namespace turnstile::zookeeper {

// Returns a context, or a fault with the reason: the module is absent, or a file cannot be used.
[[nodiscard]] tls::context_outcome context_for(const tls::settings& wanted);

}  // namespace turnstile::zookeeper
