// SPDX-License-Identifier: Apache-2.0
// In the place of tls.cpp in a build without OpenSSL.
#include "redis/tls.hpp"
#include "turnstile/error.hpp"

namespace turnstile::redis {

bool has_tls() noexcept {
    return false;
}

result<std::shared_ptr<const tls_context>> make_tls_context(const tls_settings& settings) {
    if (!settings.enabled) return std::shared_ptr<const tls_context>{};
    return error{errc::bad_option, "this build has no TLS for Redis (TURNSTILE_WITH_REDIS_TLS)"};
}

}  // namespace turnstile::redis
