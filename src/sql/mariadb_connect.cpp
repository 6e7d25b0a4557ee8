// SPDX-License-Identifier: Apache-2.0
// The part of mariadb_database that connects and checks the server.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "sql/mariadb_database.hpp"
#include "sql/stripes.hpp"

namespace turnstile::sql {
namespace {

constexpr unsigned k_no_such_table = 1146;

bool is_on(const std::string& text) {
    return text == "ON" || text == "1";
}

}  // namespace

void mariadb_database::connect() {
    disconnect();
    patience_.begin();
    if (!open_any().keeps_commits && !settings_.lacking_without_syncs.empty())
        throw database_error{
            failure::fatal, settings_.name,
            "may lose writes that it has acknowledged (innodb_flush_log_at_trx_commit, "
            "innodb_flush_method, sync_binlog), and so promises less than client_options::require "
            "demands; " +
                settings_.lacking_without_syncs};
    make_tables();
    raise_numbers();
}

mariadb_facts mariadb_database::examine() {
    patience_.begin();
    return open_any();
}

// Tries one host after another, beginning with the host that served last. Each attempt may use only a part of the time
// limit. Otherwise a host that does not answer would leave no time for the other hosts.
mariadb_facts mariadb_database::open_any() {
    const auto& hosts = settings_.target.hosts;
    for (std::size_t left = std::max<std::size_t>(1, hosts.size());; --left) {
        const patience::part mine{patience_, left};
        const std::size_t host = host_++;
        at_ = hosts.empty() ? nullptr : &hosts[host % hosts.size()];
        try {
            mariadb_facts facts = open_link();
            if (const auto why = unfit(facts); !why.empty())
                throw database_error{kind_of_unfit(facts), settings_.name, why};
            run_alone(flavour_->settings(settings_.patience));
            host_ = host;
            return facts;
        } catch (const database_error&) {
            if (left == 1) throw;
            disconnect();
        }
    }
}

mariadb_facts mariadb_database::open_link() {
    link_.open(settings_.target, at_, [this] { settings_.failures->set_silent(settings_.name); });
    mariadb_facts facts = link_.version();
    if (!speaks_sql_of_these(facts)) return facts;
    flavour_ = facts.mariadb ? &flavour_of_mariadb() : &flavour_of_mysql();
    const result_rows found = run_alone(
        fmt::format("SET SESSION {};", k_all_rows) +
        "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'innodb_read_only', "
        "'wsrep_on', 'log_bin', 'binlog_format', 'sync_binlog', 'innodb_flush_log_at_trx_commit', "
        "'innodb_flush_method', 'max_allowed_packet', 'innodb_page_size', "
        "'group_replication_single_primary_mode')");
    std::map<std::string, std::string> said;
    for (const row& r : found.rows) said[r[0]] = r[1];
    facts.read_only = said["read_only"] != "OFF" || said["innodb_read_only"] != "OFF";
    facts.galera = is_on(said["wsrep_on"]);
    facts.several_primaries = said["group_replication_single_primary_mode"] == "OFF";
    const bool logs = is_on(said["log_bin"]);
    facts.statement_binlog = logs && said["binlog_format"] == "STATEMENT";
    facts.keeps_commits = keeps_commits({said["innodb_flush_log_at_trx_commit"],
                                         said["innodb_flush_method"], logs, said["sync_binlog"]});
    facts.longest_statement = to_integer(said["max_allowed_packet"]);
    facts.page_size = to_integer(said["innodb_page_size"]);
    // All clients must use the same name for the database, because the names of user-level locks contain the name's
    // hash. Some servers convert names to lower case, so the client asks the server for the name.
    database_ = run_alone("SELECT IF(@@lower_case_table_names = 0, DATABASE(), LOWER(DATABASE()))")
                    .rows.front()
                    .front();
    return facts;
}

result_rows mariadb_database::run_alone(const std::string& statements) {
    auto answers = link_.run(statements);
    if (answers.failure) link_.fail(*answers.failure);
    return std::move(answers.each.back());
}

// Returns the version of the tables; nothing if a table is missing.
std::optional<std::int64_t> mariadb_database::version_of_tables() {
    const auto found = link_.run("SELECT value FROM turnstile_meta WHERE name = 'schema'");
    if (found.failure) {
        if (found.failure->number == k_no_such_table) return std::nullopt;
        link_.fail(*found.failure);
    }
    const auto& rows = found.each.back().rows;
    return rows.empty() ? std::nullopt : std::optional{to_integer(rows.front().front())};
}

// If several clients start at once, one of them creates the tables. MariaDB commits each table separately. If
// the client dies between two tables, the next client creates the missing tables, because the version is written last.
void mariadb_database::make_tables() {
    auto version = version_of_tables();
    if (!version) {
        const auto turn = fmt::format("'turnstile-tables-{:08x}'", hash_of(database_));
        run_alone(fmt::format("SELECT GET_LOCK({}, {})", turn, whole_seconds(settings_.patience)));
        if (!version_of_tables()) run_alone(flavour_->tables);
        run_alone(fmt::format("SELECT RELEASE_LOCK({})", turn));
        version = version_of_tables();
    }
    check_version(settings_.name, version.value_or(0));
    check_engine();
}

// An operator may have created or altered the tables with an engine other than InnoDB.
void mariadb_database::check_engine() {
    const result_rows others = run_alone(
        "SELECT table_name, engine FROM information_schema.tables WHERE table_schema = DATABASE() "
        "AND table_name IN ('turnstile_meta', 'turnstile_sessions', 'turnstile_nodes', "
        "'turnstile_watches', 'turnstile_events', 'turnstile_stripes', 'turnstile_number') "
        "AND engine <> 'InnoDB'");
    if (!others.rows.empty())
        throw database_error{
            failure::fatal, settings_.name,
            fmt::format("has the table {} in the engine {}, which has no transactions or no row "
                        "locks: two clients could hold one lock; InnoDB is needed",
                        others.rows.front()[0], others.rows.front()[1])};
}

// Makes all later transaction numbers larger than the time of day in microseconds. Otherwise a server with older data
// (after a crash, after a restore from a copy, or as a promoted replica) would assign earlier numbers again.
void mariadb_database::raise_numbers() {
    const auto now = run_alone("SELECT " + words().now).rows.front().front();
    run_alone(flavour_->raise_numbers(now));
}

}  // namespace turnstile::sql
