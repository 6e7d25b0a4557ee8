// SPDX-License-Identifier: Apache-2.0
// plain_context: a tls::context without TLS, whose streams send and receive the bytes unchanged. It is used for SASL
// without TLS.
//
// Thread safety: see tls::context and tls::stream.
#pragma once

#include <memory>

#include "tls/tls.hpp"

namespace turnstile::zookeeper {

[[nodiscard]] std::shared_ptr<const tls::context> make_plain_context();

}  // namespace turnstile::zookeeper
