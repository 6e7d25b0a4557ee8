// SPDX-License-Identifier: Apache-2.0
#include "sql/mariadb_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "support/hexadecimal.hpp"

namespace turnstile::sql {
namespace {

struct in_statement {
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(const std::string& text) const { return mariadb_literal(text); }
    std::string operator()(const bytes& data) const { return mariadb_literal(data.data); }
};

constexpr std::int64_t k_least_version = 100600;     // the first version with SKIP LOCKED
constexpr std::int64_t k_least_mysql = 80011;        // SKIP LOCKED, a counter that survives crashes
constexpr std::int64_t k_least_page = 16384;         // keys of 2,000 bytes need it
constexpr std::int64_t k_least_statement = 4 << 20;  // a znode of 1 MiB needs it

bool is_of_library(unsigned number) noexcept {
    return number >= 2000 && number < 3000;
}

bool is_too_old(const mariadb_facts& facts) noexcept {
    return facts.version_number < (facts.mariadb ? k_least_version : k_least_mysql);
}

}  // namespace

std::string mariadb_literal(std::string_view text) {
    std::string literal = "x'";
    literal.reserve(2 * text.size() + 3);
    for (const char c : text) support::append_hexadecimal(literal, static_cast<unsigned char>(c));
    return literal + '\'';
}

std::string mariadb_statement(std::string_view statement, std::span<const value> arguments) {
    std::string out;
    for (std::size_t at = 0; at < statement.size(); ++at) {
        if (statement[at] != '?') {
            out += statement[at];
            continue;
        }
        const bool as_it_is = statement[++at] == '*';
        if (as_it_is) ++at;
        const auto place = static_cast<std::size_t>(statement[at] - '1');
        TURNSTILE_CHECK(place < arguments.size());
        const value& given = arguments[place];
        out += as_it_is ? std::get<std::string>(given) : std::visit(in_statement{}, given);
    }
    return out;
}

failure kind_of(const mariadb_error& e) noexcept {
    if (is_of_library(e.number)) return failure::lost;
    switch (e.number) {
        case 1213:  // deadlock
        case 1020:  // a row has changed since it was read
        case 1062:  // a row has this key
        case 1317:  // the statement was killed
        case 1242:  // phrases::was_removed: a killed statement reported success
            return failure::retry;
        case 1205:
        case 3572:  // NOWAIT, in MySQL
            return failure::row_held;
        case 1045:  // access denied
        case 1698:  // access denied to a user with an authentication plugin instead of a password
            return failure::refused;
        case 1040:  // too many connections
        case 1053:  // the server is shutting down
        case 1158:
        case 1159:
        case 1160:
        case 1161:  // packets that were late
        case 1180:  // an error in the commit
        case 1203:
        case 1226:  // too many connections of this user
        case 1927:  // the connection was killed
        case 3169:  // the connection was killed, in MySQL
        case 4031:  // MySQL has ended a connection that was idle
            return failure::lost;
        default: return failure::fatal;
    }
}

std::string sentence(const mariadb_error& e) {
    const std::string line = e.text.substr(0, e.text.find('\n'));
    switch (e.number) {
        case 1044:
        case 1142:
        case 1143:
        case 1227:
        case 1370: return line + ": this user lacks a right (docs/how-to/mariadb.md)";
        case 1290:
            if (line.find("NO_ENGINE_SUBSTITUTION") != std::string::npos)
                return "the server does not create InnoDB tables (enforce_storage_engine): " + line;
            [[fallthrough]];
        case 1792:
        case 1836: return line + ": the server takes no writes any more";
        case 5010:  // libmariadb's text names another method than the server's
            return "the server wants a login that sends the password in plain text, or a login "
                   "that Turnstile uses only with TLS: give ssl=true or ssl_ca "
                   "(docs/how-to/mariadb.md)";
        case 1153: return line + ": raise max_allowed_packet";
        case 1021:
        case 1026:
        case 1030:
        case 1114: return line + ": is its disk full?";
        default: return line;
    }
}

// With the flush method nosync, the server does not sync the log at a commit. With littlesync and O_DIRECT_NO_FSYNC it
// syncs the log, but not the tables before it overwrites the log. A power failure may then lose acknowledged commits.
bool keeps_commits(const mariadb_syncing& said) noexcept {
    const auto& commit = said.flush_log_at_commit;
    const auto& method = said.flush_method;
    return (commit == "1" || commit == "3") && (!said.logs || said.sync_log == "1") &&
           method != "nosync" && method != "littlesync" && method != "O_DIRECT_NO_FSYNC";
}

// Finds products on which no lock is safe. In TiDB, row locks and AUTO_INCREMENT numbers belong to one of several
// servers. Vitess may spread the tables over several servers.
bool speaks_sql_of_these(const mariadb_facts& facts) {
    constexpr std::array k_others{"TiDB", "Vitess", "OceanBase"};
    return facts.mariadb || std::none_of(k_others.begin(), k_others.end(), [&](const char* other) {
               return facts.version.find(other) != std::string::npos;
           });
}

failure kind_of_unfit(const mariadb_facts& facts) noexcept {
    return speaks_sql_of_these(facts) && is_too_old(facts) ? failure::too_old : failure::fatal;
}

std::string unfit(const mariadb_facts& facts) {
    if (!speaks_sql_of_these(facts))
        return fmt::format(
            "says that it is '{}': such a server speaks MySQL's protocol, but its row locks and "
            "AUTO_INCREMENT numbers may differ from MySQL's",
            facts.version);
    if (is_too_old(facts))
        return facts.mariadb ? fmt::format("is MariaDB {}; 10.6 or later is needed", facts.version)
                             : fmt::format("is MySQL {}; 8.0.11 or later is needed", facts.version);
    if (facts.several_primaries)
        return "is in a group of several primaries, which do not see each other's row locks: two "
               "clients could hold one lock";
    if (facts.galera)
        return "is a node of a Galera cluster, whose nodes do not see each other's row locks: two "
               "clients could hold one lock";
    if (facts.read_only)
        return "takes no writes (read_only): a replica, or a server that an operator has set to "
               "read-only";
    if (facts.statement_binlog)
        return "logs statements (binlog_format=STATEMENT), which forbids READ COMMITTED; set it to "
               "MIXED or ROW";
    if (facts.longest_statement < k_least_statement)
        return fmt::format("takes statements of {} bytes (max_allowed_packet); {} are needed",
                           facts.longest_statement, k_least_statement);
    if (facts.page_size < k_least_page)
        return fmt::format("has pages of {} bytes (innodb_page_size); {} are needed for the keys",
                           facts.page_size, k_least_page);
    return {};
}

}  // namespace turnstile::sql
