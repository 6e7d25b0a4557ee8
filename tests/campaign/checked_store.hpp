// SPDX-License-Identifier: Apache-2.0
// checked_store: a list at the servers of the locks, to which only a holder may append. It uses a connection of the
// program: a database transaction with sql::check, or a script with redis::check.
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
    // `dawdle` runs between the check and the end of the transaction, if the server has transactions. Blocks for as
    // long as the server does.
    virtual written append(const turnstile::guard& hold, const std::string& data,
                           const std::function<void()>& dawdle) = 0;
};

// Opens the store for the connect string of a worker's client. Null if this kind of server has no check.
[[nodiscard]] std::unique_ptr<checked_store> open_store(const std::string& servers);

[[nodiscard]] std::unique_ptr<checked_store> open_redis_store(const std::string& servers);
[[nodiscard]] std::unique_ptr<checked_store> open_postgresql_store(const std::string& servers);
[[nodiscard]] std::unique_ptr<checked_store> open_mariadb_store(const std::string& servers);
[[nodiscard]] std::unique_ptr<checked_store> open_sqlite_store(const std::string& servers);

}  // namespace campaign
