// SPDX-License-Identifier: Apache-2.0
#include "checked_store.hpp"

namespace campaign {

std::unique_ptr<checked_store> open_store(const std::string& servers) {
#ifdef TURNSTILE_WITH_REDIS
    if (servers.starts_with("redis://")) return open_redis_store(servers);
#endif
#ifdef TURNSTILE_WITH_POSTGRESQL
    if (servers.starts_with("postgresql://")) return open_postgresql_store(servers);
#endif
#ifdef TURNSTILE_WITH_MARIADB
    if (servers.starts_with("mysql://")) return open_mariadb_store(servers);
#endif
#ifdef TURNSTILE_WITH_SQLITE
    if (servers.starts_with("sqlite:")) return open_sqlite_store(servers);
#endif
    return nullptr;
}

}  // namespace campaign
