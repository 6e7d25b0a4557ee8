// SPDX-License-Identifier: Apache-2.0
// checked_store: a list at the servers of the locks that only a holder may append to, by a connection of the program's
// own: in a database's transaction with sql::check, or in a script with redis::check.
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
    // `dawdle` runs between the check and the end of the transaction, where there is such a place. Blocks for as long as
    // the server does.
    virtual written append(const turnstile::guard& hold, const std::string& data,
                           const std::function<void()>& dawdle) = 0;
};

// For the connect string of a worker's client; null where its servers have no such check.
[[nodiscard]] std::unique_ptr<checked_store> open_store(const std::string& servers);

[[nodiscard]] std::unique_ptr<checked_store> open_redis_store(const std::string& servers);
[[nodiscard]] std::unique_ptr<checked_store> open_postgresql_store(const std::string& servers);
[[nodiscard]] std::unique_ptr<checked_store> open_mariadb_store(const std::string& servers);
[[nodiscard]] std::unique_ptr<checked_store> open_sqlite_store(const std::string& servers);

}  // namespace campaign
