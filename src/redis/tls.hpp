// SPDX-License-Identifier: Apache-2.0
// make_tls_context: makes the TLS context of connections (line.hpp). hiredis 0.14 has no TLS, and later versions have
// it in a separate library. So OpenSSL transports the bytes (tls/tls.hpp), and hiredis only parses them.
//
// Thread safety: see tls/tls.hpp.
#pragma once

#include <memory>

#include "tls/tls.hpp"
#include "turnstile/error.hpp"
#include "turnstile/result.hpp"

namespace turnstile::redis {

// Reads the certificate files and makes the TLS context; null if TLS is disabled. Error: bad_option, with the file and
// the reason.
[[nodiscard]] inline result<std::shared_ptr<const tls::context>> make_tls_context(
    const tls::settings& settings) {
    if (!settings.enabled) return std::shared_ptr<const tls::context>{};
    auto opened = tls::make_context(settings, "use redis:// for a connection without TLS");
    if (!opened.fault.empty()) return error{errc::bad_option, std::move(opened.fault)};
    return std::move(opened.value);
}

}  // namespace turnstile::redis
