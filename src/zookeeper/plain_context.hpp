// SPDX-License-Identifier: Apache-2.0
// plain_context: the form of tls::context whose streams carry bytes as they are, for SASL without TLS.
//
// Thread safety: the same as of tls::context and tls::stream.
#pragma once

#include <memory>

#include "tls/tls.hpp"

namespace turnstile::zookeeper {

[[nodiscard]] std::shared_ptr<const tls::context> make_plain_context();

}  // namespace turnstile::zookeeper
