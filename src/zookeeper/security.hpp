// SPDX-License-Identifier: Apache-2.0
// security: makes the TLS and SASL objects for one connection to a server, by the module libturnstile-tls.
//
// Each call reads the files again, so that the next connection uses a renewed certificate or a changed password.
//
// Thread safety: from any thread.
#pragma once

#include "zookeeper/connect_string.hpp"

namespace turnstile::zookeeper {

// Returns a context whose streams use TLS, or send the bytes unchanged if TLS is not enabled. Returns a fault if the
// module is absent or a file cannot be used.
[[nodiscard]] tls::context_outcome context_for(const server_security& wanted);

// Returns an exchange with the server `host`, or a fault with the reason. `wanted` must enable SASL.
[[nodiscard]] tls::sasl_outcome exchange_for(const sasl_options& wanted, const std::string& host);

}  // namespace turnstile::zookeeper
