// SPDX-License-Identifier: Apache-2.0
// Implements checked_store by a table in MariaDB. A transaction locks the hold's row and appends to the table.
#include <mysql.h>

#include "checked_store.hpp"
#include "turnstile/sql.hpp"

namespace campaign {
namespace {

class mariadb_store final : public checked_store {
public:
    explicit mariadb_store(const std::string& servers) {
        const auto address = servers.substr(servers.find('@') + 1);
        const auto colon = address.find(':');
        const auto slash = address.find('/');
        host_ = address.substr(0, colon);
        port_ = static_cast<unsigned>(std::stoul(address.substr(colon + 1, slash - colon - 1)));
        database_ = address.substr(slash + 1);
    }

    written append(const turnstile::guard& hold, const std::string& data,
                   const std::function<void()>& dawdle) override {
        if (!connected()) return written::refused;
        if (!run("START TRANSACTION") || !turnstile::sql::check(hold, connection_.get()))
            return roll_back();
        dawdle();
        // The pause comes before this INSERT, because an entry gets its number when it is inserted.
        if (!run("INSERT INTO campaign_entries (data) VALUES ('" + data + "')")) return roll_back();
        if (run("COMMIT")) return written::ok;
        connection_.reset();
        return written::unknown;
    }

private:
    // If the ROLLBACK fails, the end of the connection rolls the transaction back.
    written roll_back() {
        if (!run("ROLLBACK")) connection_.reset();
        return written::refused;
    }
    bool connected() {
        if (connection_) return true;
        connection_.reset(::mysql_init(nullptr));
        if (::mysql_real_connect(connection_.get(), host_.c_str(), "root", nullptr,
                                 database_.c_str(), port_, nullptr, 0) != nullptr)
            return true;
        connection_.reset();
        return false;
    }
    bool run(const std::string& text) {
        return ::mysql_real_query(connection_.get(), text.data(), text.size()) == 0;
    }

    std::string host_;
    unsigned port_ = 0;
    std::string database_;
    std::unique_ptr<MYSQL, decltype(&::mysql_close)> connection_{nullptr, &::mysql_close};
};

}  // namespace

std::unique_ptr<checked_store> open_mariadb_store(const std::string& servers) {
    return std::make_unique<mariadb_store>(servers);
}

}  // namespace campaign
