// SPDX-License-Identifier: Apache-2.0
// Implements checked_store by a table in PostgreSQL. A transaction locks the hold's row and appends to the table.
#include <libpq-fe.h>

#include <string_view>

#include "checked_store.hpp"
#include "turnstile/sql.hpp"

namespace campaign {
namespace {

class postgresql_store final : public checked_store {
public:
    explicit postgresql_store(std::string servers) : servers_{std::move(servers)} {}

    written append(const turnstile::guard& hold, const std::string& data,
                   const std::function<void()>& dawdle) override {
        if (!connected()) return written::refused;
        if (!run("BEGIN") || !turnstile::sql::check(hold, connection_.get())) return roll_back();
        dawdle();
        // The pause comes before this INSERT, because an entry gets its number when it is inserted.
        if (!run("INSERT INTO campaign_entries (data) VALUES ('" + data + "')")) return roll_back();
        const std::unique_ptr<PGresult, decltype(&::PQclear)> end{
            ::PQexec(connection_.get(), "COMMIT"), &::PQclear};
        if (::PQresultStatus(end.get()) != PGRES_COMMAND_OK) {
            connection_.reset();
            return written::unknown;
        }
        return std::string_view{::PQcmdStatus(end.get())} == "COMMIT" ? written::ok
                                                                      : written::refused;
    }

private:
    // If the ROLLBACK fails, the end of the connection rolls the transaction back.
    written roll_back() {
        if (!run("ROLLBACK")) connection_.reset();
        return written::refused;
    }
    bool connected() {
        if (connection_ && ::PQstatus(connection_.get()) != CONNECTION_OK) connection_.reset();
        if (!connection_) connection_.reset(::PQconnectdb(servers_.c_str()));
        return ::PQstatus(connection_.get()) == CONNECTION_OK;
    }
    bool run(const std::string& text) {
        const std::unique_ptr<PGresult, decltype(&::PQclear)> done{
            ::PQexec(connection_.get(), text.c_str()), &::PQclear};
        return ::PQresultStatus(done.get()) == PGRES_COMMAND_OK;
    }

    const std::string servers_;
    std::unique_ptr<PGconn, decltype(&::PQfinish)> connection_{nullptr, &::PQfinish};
};

}  // namespace

std::unique_ptr<checked_store> open_postgresql_store(const std::string& servers) {
    return std::make_unique<postgresql_store>(servers);
}

}  // namespace campaign
