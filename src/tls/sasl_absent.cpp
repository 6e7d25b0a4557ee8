// SPDX-License-Identifier: Apache-2.0
// Replaces sasl.cpp in a build without Cyrus SASL.
#include "tls/sasl.hpp"

namespace turnstile::tls {

sasl_outcome make_sasl_exchange(const sasl_options& /*wanted*/, const std::string& /*host*/) {
    return {nullptr, "sasl: this library was built without Cyrus SASL (libsasl2)"};
}

void prepare_sasl() noexcept {}

}  // namespace turnstile::tls
