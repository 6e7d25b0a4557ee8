// SPDX-License-Identifier: Apache-2.0
// Replaces tls.cpp in a build without OpenSSL.
#include "tls/tls.hpp"

namespace turnstile::tls {

bool has_tls() noexcept {
    return false;
}

context_outcome make_context(const settings& /*wanted*/, std::string_view /*plain_form*/) {
    return {nullptr, "this build has no TLS (TURNSTILE_WITH_TLS)"};
}

}  // namespace turnstile::tls
