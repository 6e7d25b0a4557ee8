// SPDX-License-Identifier: Apache-2.0
// The part of postgresql_database that connects and checks the server.
#include <fmt/core.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <climits>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/postgresql_database.hpp"
#include "sql/schema.hpp"

namespace turnstile::sql {
namespace {

constexpr int k_least_version = 120000;
constexpr int k_checks_clients = 140000;  // client_connection_check_interval
constexpr std::int64_t k_schema = 2;

struct options_end {
    void operator()(PQconninfoOption* all) const noexcept { ::PQconninfoFree(all); }
};

// Returns the list "a,b,c", started at another item: "b,c,a".
std::string turned(const std::string& list, std::size_t first) {
    std::vector<std::string> items(1);
    for (const char c : list) {
        if (c == ',') {
            items.emplace_back();
        } else {
            items.back() += c;
        }
    }
    const auto begin = static_cast<std::ptrdiff_t>(first % items.size());
    std::rotate(items.begin(), items.begin() + begin, items.end());
    std::string out = items.front();
    for (std::size_t i = 1; i != items.size(); ++i) out += ',' + items[i];
    return out;
}

// The parameters of the connect string, and the parameters that Turnstile adds. If a host does not answer, libpq has no
// time left for the next host. So the next attempt begins with the next host.
class parameters {
public:
    parameters(const std::string& uri, std::size_t first_host) {
        const std::unique_ptr<PQconninfoOption, options_end> all{
            ::PQconninfoParse(uri.c_str(), nullptr)};
        if (!all) throw database_error{failure::fatal, "libpq cannot read the connect string"};
        for (const PQconninfoOption* each = all.get(); each->keyword != nullptr; ++each)
            if (each->val != nullptr) add(each->keyword, each->val);
        for (std::size_t i = 0; i != keywords_.size(); ++i)
            if (keywords_[i] == "host" || keywords_[i] == "hostaddr" || keywords_[i] == "port")
                texts_[i] = turned(texts_[i], first_host);
        add_or_replace("client_encoding", "UTF8");  // all clients must encode paths in it
        add_missing("application_name", "turnstile");
        const auto hosts = std::find(keywords_.begin(), keywords_.end(), "host");
        if (hosts != keywords_.end() &&
            texts_[static_cast<std::size_t>(hosts - keywords_.begin())].find(',') !=
                std::string::npos)
            add_missing("target_session_attrs", "read-write");
    }

    [[nodiscard]] PGconn* start() const {
        std::vector<const char*> keywords;
        std::vector<const char*> values;
        for (std::size_t i = 0; i < texts_.size(); ++i) {
            keywords.push_back(keywords_[i].c_str());
            values.push_back(texts_[i].c_str());
        }
        keywords.push_back(nullptr);
        values.push_back(nullptr);
        return ::PQconnectStartParams(keywords.data(), values.data(), 0);
    }

private:
    void add(const std::string& keyword, const std::string& text) {
        keywords_.push_back(keyword);
        texts_.push_back(text);
    }
    void add_missing(const std::string& keyword, const std::string& text) {
        if (std::find(keywords_.begin(), keywords_.end(), keyword) == keywords_.end())
            add(keyword, text);
    }
    void add_or_replace(const std::string& keyword, const std::string& text) {
        const auto at = std::find(keywords_.begin(), keywords_.end(), keyword);
        if (at == keywords_.end()) return add(keyword, text);
        texts_[static_cast<std::size_t>(at - keywords_.begin())] = text;
    }

    std::vector<std::string> keywords_;
    std::vector<std::string> texts_;
};

}  // namespace

void postgresql_database::connect() {
    disconnect();
    begin_patience();
    try {
        open_connection();
    } catch (const database_error&) {
        ++first_host_;
        throw;
    }
    check_server();
    make_tables();
}

bool postgresql_database::keeps_commits() {
    begin_patience();
    open_connection();
    return run("SELECT current_setting('fsync')").rows.front().front() == "on";
}

void postgresql_database::open_connection() {
    connection_ = parameters{settings_.uri, first_host_}.start();
    if (connection_ == nullptr) throw std::bad_alloc{};
    ::PQsetErrorVerbosity(connection_, PQERRORS_VERBOSE);  // with the codes
    ::PQsetNoticeProcessor(
        connection_, [](void* /*unused*/, const char* /*text*/) {}, nullptr);
    PostgresPollingStatusType next = PGRES_POLLING_WRITING;
    if (::PQstatus(connection_) == CONNECTION_BAD) fail_to_connect(::PQerrorMessage(connection_));
    while (next != PGRES_POLLING_OK) {
        if (next == PGRES_POLLING_READING) settings_.failures->set_silent(settings_.name);
        await_socket(next == PGRES_POLLING_READING ? POLLIN : POLLOUT, patient_until_);
        next = ::PQconnectPoll(connection_);
        if (next == PGRES_POLLING_FAILED) fail_to_connect(::PQerrorMessage(connection_));
    }
    if (::PQsetnonblocking(connection_, 1) != 0) lose(::PQerrorMessage(connection_));
}

// An SQLSTATE of class 28 in the server's message means wrong credentials.
void postgresql_database::fail_to_connect(const std::string& why) const {
    const std::string line = why.substr(0, why.find('\n'));
    const bool refused =
        why.find("28P01") != std::string::npos || why.find("28000") != std::string::npos;
    throw database_error{refused ? failure::refused : failure::lost, settings_.name + ": " + line};
}

void postgresql_database::check_server() {
    const row r = run("SELECT current_setting('server_version_num')::integer, "
                      "current_setting('server_version'), pg_is_in_recovery()::integer, "
                      "(current_setting('transaction_read_only') = 'on')::integer, "
                      "current_setting('server_encoding'), pg_backend_pid(), "
                      "(current_setting('fsync') = 'on')::integer")
                      .rows.front();
    const std::int64_t version = to_integer(r[0]);
    const auto refuse = [this](failure kind, const std::string& rule) {
        throw database_error{kind, settings_.name + ": " + rule};
    };
    if (version < k_least_version)
        refuse(failure::too_old, "is PostgreSQL " + r[1] + "; 12 or later is needed");
    if (to_integer(r[2]) != 0) refuse(failure::fatal, "is a standby, which takes no writes");
    if (to_integer(r[3]) != 0)
        refuse(failure::fatal, "takes no writes (default_transaction_read_only)");
    if (r[4] != "UTF8")
        refuse(failure::fatal, "the database's encoding is " + r[4] + "; UTF8 is needed");
    if (to_integer(r[6]) == 0 && !settings_.lacking_without_fsync.empty())
        refuse(failure::fatal, "fsync is off, so the server does not promise enough; " +
                                   settings_.lacking_without_fsync);
    check_pool(r[5]);
    // If a process is stopped inside a transaction, the server ends the transaction after the patience. The process
    // itself gives up a wait after the patience. An acknowledged commit is on the disk.
    std::string settings = fmt::format(
        "SET idle_in_transaction_session_timeout = {}; SET statement_timeout = 0; "
        "SET lock_timeout = 0; SELECT set_config('synchronous_commit', 'on', false) "
        "WHERE current_setting('synchronous_commit') = 'off'; ",
        settings_.patience.count());
    // Every statement finds its rows by a key, whatever its values are. So the server plans a statement once, as a
    // plain index scan. Only such a scan marks the index entries of deleted rows. A lock's folder has thousands of
    // these entries between two vacuums, and other scans would visit all of them each time.
    settings +=
        "SET plan_cache_mode = force_generic_plan; SET enable_bitmapscan = off; "
        "SET enable_seqscan = off; SET jit = off";
    if (version >= k_checks_clients) settings += "; SET client_connection_check_interval = '1s'";
    run_text(settings);
}

// The first of several clients that start at once creates the tables. The statement reads the catalogue as a table. A
// function that takes a name (to_regclass) would still report a missing table after another client has created it.
void postgresql_database::make_tables() {
    const auto there = [this] {
        return run("SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_class WHERE relname = "
                   "'turnstile_meta' AND pg_catalog.pg_table_is_visible(oid))")
                   .rows.front()
                   .front() == "t";
    };
    if (!there()) {
        run_text("BEGIN");
        try {
            run_text("SELECT pg_advisory_xact_lock(hashtext('turnstile tables'))");
            if (!there()) run_text(k_postgresql_tables);
            run_text("COMMIT");
        } catch (const database_error&) {
            rollback();
            throw;
        }
    }
    const result_rows found = run("SELECT value FROM turnstile_meta WHERE name = 'schema'");
    const std::int64_t version = found.rows.empty() ? 0 : to_integer(found.rows.front().front());
    if (version != k_schema)
        throw database_error{failure::fatal,
                             fmt::format("{}: has tables of version {}; this release needs "
                                         "version {}",
                                         settings_.name, version, k_schema)};
}

}  // namespace turnstile::sql
