// SPDX-License-Identifier: Apache-2.0
// The entry of the module libturnstile-redis: the functions that the core library calls (modules/entry.hpp).
#include "modules/entry.hpp"
#include "redis/connect_string.hpp"
#include "redis/coordinator.hpp"
#include "redis/orphan.hpp"
#include "redis/scripts.hpp"
#include "turnstile/version.hpp"

namespace turnstile::redis {
namespace {

std::shared_ptr<core::coordinator> redis_servers(const modules::wanted_servers& wanted) {
    return make_coordinator(wanted.connect_string, {.session_timeout = wanted.session_timeout,
                                                    .guardian = wanted.guardian});
}

result<script_check> check_of_script(std::string_view servers, const std::string& path) {
    const auto where = parse_connect_string(servers);
    if (!where) return where.error();
    return script_check{znodes_key(key_prefix(*where)), where->chroot + path};
}

constexpr modules::entry k_redis_entry{.version = TURNSTILE_VERSION,
                                       .make = redis_servers,
                                       .check_row = nullptr,
                                       .check_of_script = check_of_script,
                                       .look_at_file = nullptr,
                                       .end_session = end_orphan};

}  // namespace
}  // namespace turnstile::redis

TURNSTILE_MODULE_ENTRY const turnstile::modules::entry* turnstile_module_redis(
    const turnstile::modules::host* services) noexcept {
    turnstile::modules::attach(services);
    return &turnstile::redis::k_redis_entry;
}
