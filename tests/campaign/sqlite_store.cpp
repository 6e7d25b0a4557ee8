// SPDX-License-Identifier: Apache-2.0
// Implements checked_store by a table in the SQLite file. A transaction checks the hold's row and appends to the table.
#include <sqlite3.h>

#include "checked_store.hpp"
#include "turnstile/sql.hpp"

namespace campaign {
namespace {

constexpr int k_patience_ms = 5'000;

class sqlite_store final : public checked_store {
public:
    explicit sqlite_store(const std::string& servers)
        : file_{servers.substr(servers.find(':') + 1)} {}

    written append(const turnstile::guard& hold, const std::string& data,
                   const std::function<void()>& dawdle) override {
        if (!connected() || !run("BEGIN IMMEDIATE")) return written::refused;
        const bool checked = run("INSERT INTO campaign_entries (data) VALUES ('" + data + "')") &&
                             turnstile::sql::check(hold, connection_.get());
        if (!checked) return roll_back();
        dawdle();
        if (run("COMMIT")) return written::ok;
        // Closing the connection rolls back an open transaction. So the entry becomes visible only if the whole
        // transaction got into the log.
        connection_.reset();
        return written::unknown;
    }

private:
    written roll_back() {
        if (::sqlite3_get_autocommit(connection_.get()) == 0 && !run("ROLLBACK"))
            connection_.reset();
        return written::refused;
    }
    bool connected() {
        if (connection_) return true;
        sqlite3* opened = nullptr;
        const int code = ::sqlite3_open_v2(file_.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
        connection_.reset(opened);
        if (code != SQLITE_OK) {
            connection_.reset();
            return false;
        }
        ::sqlite3_busy_timeout(opened, k_patience_ms);
        return run("PRAGMA synchronous = FULL");
    }
    bool run(const std::string& text) {
        return ::sqlite3_exec(connection_.get(), text.c_str(), nullptr, nullptr, nullptr) ==
               SQLITE_OK;
    }

    const std::string file_;
    std::unique_ptr<sqlite3, decltype(&::sqlite3_close_v2)> connection_{nullptr,
                                                                        &::sqlite3_close_v2};
};

}  // namespace

std::unique_ptr<checked_store> open_sqlite_store(const std::string& servers) {
    return std::make_unique<sqlite_store>(servers);
}

}  // namespace campaign
