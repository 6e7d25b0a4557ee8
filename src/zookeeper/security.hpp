// SPDX-License-Identifier: Apache-2.0
// security: TLS and SASL for one connection to a server, from the module libturnstile-tls.
//
// The files are read at each call, so that the next connection uses a renewed certificate and a changed password.
//
// Thread safety: from any thread.
#pragma once

#include "zookeeper/connect_string.hpp"

namespace turnstile::zookeeper {

// Returns a context that carries bytes with TLS or as they are, or a fault with the reason: the module is absent, or a
// file cannot be used.
[[nodiscard]] tls::context_outcome context_for(const server_security& wanted);

// Returns an exchange for `wanted`, which is enabled, with the server `host`, or a fault with the reason.
[[nodiscard]] tls::sasl_outcome exchange_for(const sasl_options& wanted, const std::string& host);

}  // namespace turnstile::zookeeper
