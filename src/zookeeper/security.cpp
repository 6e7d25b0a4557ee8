// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/security.hpp"

#include "modules/find.hpp"
#include "zookeeper/plain_context.hpp"

namespace turnstile::zookeeper {

tls::context_outcome context_for(const server_security& wanted) {
    if (!wanted.tls.enabled) return {make_plain_context(), {}};
    const auto module = modules::find(modules::module_kind::tls, k_secure_scheme);
    if (!module) return {nullptr, module.error().detail()};
    return (*module)->make_tls_context(wanted.tls,
                                       "for a connection without TLS, use a connect string without "
                                       "zookeepers://, and a port other than secureClientPort");
}

tls::sasl_outcome exchange_for(const sasl_options& wanted, const std::string& host) {
    const auto module = modules::find(modules::module_kind::tls, "sasl");
    if (!module) return {nullptr, module.error().detail()};
    return (*module)->make_sasl_exchange(wanted, host);
}

}  // namespace turnstile::zookeeper
