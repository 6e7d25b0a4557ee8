// SPDX-License-Identifier: Apache-2.0
// The entry of the module libturnstile-tls. This module has no coordinator: it provides TLS connections for the
// ZooKeeper back end.
#include "modules/entry.hpp"
#include "tls/sasl.hpp"
#include "tls/tls.hpp"
#include "turnstile/version.hpp"

namespace turnstile::tls {
namespace {

constexpr modules::entry k_tls_entry{.version = TURNSTILE_VERSION,
                                     .make = nullptr,
                                     .check_row = nullptr,
                                     .check_of_script = nullptr,
                                     .look_at_file = nullptr,
                                     .end_session = nullptr,
                                     .make_tls_context = make_context,
                                     .make_sasl_exchange = make_sasl_exchange};

}  // namespace
}  // namespace turnstile::tls

TURNSTILE_MODULE_ENTRY const turnstile::modules::entry* turnstile_module_tls(
    const turnstile::modules::host* services) noexcept {
    turnstile::modules::attach(services);
    return &turnstile::tls::k_tls_entry;
}
