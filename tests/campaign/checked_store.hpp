// SPDX-License-Identifier: Apache-2.0
// checked_store: a list on the same servers as the locks. Only a lock's holder may append to it. The store uses the
// program's own connection, and appends in a database transaction with sql::check or in a script with redis::check.
//
// Thread safety: one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "turnstile/guard.hpp"

namespace campaign {

enum class written { ok, refused, unknown };

class checked_store {
public:
    virtual ~checked_store() = default;
    // Appends `data` to the list, if the hold still exists. Calls `dawdle` between the check of the hold and the end of
    // the transaction, if the server has transactions. Blocks until the server answers.
    virtual written append(const turnstile::guard& hold, const std::string& data,
                           const std::function<void()>& dawdle) = 0;
};

// Opens the store for the connect string of a worker's client. Returns null if the library has no check for this kind
// of server.
[[nodiscard]] std::unique_ptr<checked_store> open_store(const std::string& servers);

[[nodiscard]] std::unique_ptr<checked_store> open_redis_store(const std::string& servers);
[[nodiscard]] std::unique_ptr<checked_store> open_postgresql_store(const std::string& servers);
[[nodiscard]] std::unique_ptr<checked_store> open_mariadb_store(const std::string& servers);
[[nodiscard]] std::unique_ptr<checked_store> open_sqlite_store(const std::string& servers);

}  // namespace campaign
