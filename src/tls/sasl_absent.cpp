// SPDX-License-Identifier: Apache-2.0
// In a build without Cyrus SASL.
#include "tls/sasl.hpp"

namespace turnstile::tls {

sasl_outcome make_sasl_exchange(const sasl_settings& /*wanted*/) {
    return {nullptr, "sasl_user: this library was built without Cyrus SASL (libsasl2)"};
}

}  // namespace turnstile::tls
