// SPDX-License-Identifier: Apache-2.0
// Checks that the table of docs/start/choosing.md agrees with the promises of each kind of server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "client/back_ends.hpp"
#include "sql/dialects.hpp"
#include "turnstile/promises.hpp"
#ifdef TURNSTILE_WITH_REDIS
#include "redis/server_words.hpp"
#endif

namespace turnstile {
namespace {

// Returns the promises of each kind of server that this build has. The keys are the column heads of the table in
// docs/start/choosing.md.
std::map<std::string, promises> kinds() {
    std::map<std::string, promises> all{
        {"ZooKeeper", detail::make_coordinator("127.0.0.1:1", {})->promises()},
        {"PostgreSQL", sql::promises_of(sql::kind::postgresql)},
        {"MariaDB, durable", sql::promises_of(sql::kind::mariadb)},
        {"MariaDB", sql::promises_of(sql::kind::mariadb, sql::durability::not_said)},
        {"SQLite", sql::promises_of(sql::kind::sqlite)},
        {"in memory", detail::make_coordinator("local:choosing", {})->promises()},
    };
#ifdef TURNSTILE_WITH_REDIS
    all["Redis, durable"] = redis::promises_of({.append_only = true, .fsync_always = true});
    all["Redis"] = redis::promises_of({});
    all["Redis, replicated"] = redis::promises_of({}, true);
#endif
    return all;
}

std::vector<std::string> cells_of(const std::string& row) {
    std::vector<std::string> cells;
    for (auto at = row.find('|'); at + 1 < row.size(); at = row.find('|', at + 1)) {
        const auto end = row.find('|', at + 1);
        if (end == std::string::npos) break;
        cells.push_back(row.substr(at + 2, end - at - 3));
    }
    return cells;
}

TEST(choosing, the_table_is_what_the_servers_promise) {
    std::ifstream page{TURNSTILE_SOURCE_DIR "/docs/start/choosing.md"};
    ASSERT_TRUE(page);
    std::vector<std::string> heads;
    std::map<std::string, std::map<std::string, std::string>> documented;  // by column and promise
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("| promise |")) heads = cells_of(line);
        if (heads.empty() || !line.starts_with("| `")) continue;
        const auto cells = cells_of(line);
        ASSERT_EQ(cells.size(), heads.size()) << line;
        const auto name = cells.front().substr(1, cells.front().size() - 2);
        for (std::size_t i = 1; i != cells.size(); ++i) documented[heads[i]][name] = cells[i];
    }
    const auto given_by_all = kinds();
#ifdef TURNSTILE_WITH_REDIS
    EXPECT_EQ(documented.size(), given_by_all.size()) << "a column of no kind of server";
#endif
    for (const auto& [kind, given] : given_by_all) {
        ASSERT_TRUE(documented.contains(kind)) << kind;
        for (const auto& text : texts_of(given))
            EXPECT_EQ(documented[kind][std::string{text.name}], text.value)
                << kind << ' ' << text.name;
    }
}

}  // namespace
}  // namespace turnstile
