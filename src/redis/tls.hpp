// SPDX-License-Identifier: Apache-2.0
// tls: TLS for a connection (line.hpp). hiredis 0.14 has no TLS, and later versions have it in a separate library. So
// OpenSSL transports the bytes (tls/tls.hpp), and hiredis only parses them.
//
// Thread safety: see tls/tls.hpp.
#pragma once

#include <memory>

#include "tls/tls.hpp"
#include "turnstile/error.hpp"
#include "turnstile/result.hpp"

namespace turnstile::redis {

using tls_verification = tls::verification;
using tls_settings = tls::settings;
using handshake_step = tls::handshake_step;
using tls_stream = tls::stream;
using tls_context = tls::context;

[[nodiscard]] inline bool has_tls() noexcept {
    return tls::has_tls();
}

// Reads the certificate files and makes the TLS context; null if TLS is disabled. Error: bad_option, with the file and
// the reason.
[[nodiscard]] inline result<std::shared_ptr<const tls_context>> make_tls_context(
    const tls_settings& settings) {
    if (!settings.enabled) return std::shared_ptr<const tls_context>{};
    auto opened = tls::make_context(settings, "use redis:// for a connection without TLS");
    if (!opened.fault.empty()) return error{errc::bad_option, std::move(opened.fault)};
    return std::move(opened.value);
}

}  // namespace turnstile::redis
