// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/security.hpp"

#include "modules/find.hpp"
#include "zookeeper/connect_string.hpp"

namespace turnstile::zookeeper {

tls::context_outcome context_for(const tls::settings& wanted) {
    const auto module = modules::find(modules::module_kind::tls, k_secure_scheme);
    if (!module) return {nullptr, module.error().detail()};
    return (*module)->make_tls_context(
        wanted, "a connect string without zookeepers:// and secureClientPort is for that");
}

}  // namespace turnstile::zookeeper
