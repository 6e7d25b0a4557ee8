// SPDX-License-Identifier: Apache-2.0
#include "sql/postgresql_link.hpp"

#include <fmt/core.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <new>
#include <string_view>
#include <vector>

#include "base/duration_text.hpp"
#include "sql/postgresql_options.hpp"
#include "support/poll_time.hpp"

namespace turnstile::sql {
namespace {

// To check whether a connection pool shares the server process, the session opens a second connection, and waits for a
// NOTIFY. Each of these two steps may take 1/k_bell_part of the session's time limit.
constexpr int k_bell_part = 4;

// Rotates a list: from "a,b,c" to "b,c,a" for `first` = 1.
std::string turned(std::string list, std::size_t first) {
    list += ',';
    for (first %= static_cast<std::size_t>(std::count(list.begin(), list.end(), ',')); first != 0;
         --first)
        std::rotate(list.begin(), std::find(list.begin(), list.end(), ',') + 1, list.end());
    list.pop_back();
    return list;
}

// Begins to connect, with the parameters of the connect string and with Turnstile's own parameters. A host that does
// not answer leaves libpq no time for the next host. So each attempt begins with the host that was second in the last
// attempt.
PGconn* start(const std::string& uri, std::size_t first_host) {
    const auto all = parse_postgresql(uri, nullptr);
    if (!all) throw database_error{failure::fatal, "libpq cannot read the connect string"};
    // libpq uses the last value of a repeated keyword.
    std::vector<const char*> keywords{"application_name", "target_session_attrs"};
    std::vector<std::string> texts{"turnstile", ""};  // libpq ignores an empty value
    for (const PQconninfoOption* each = all.get(); each->keyword != nullptr; ++each) {
        if (each->val == nullptr) continue;
        const std::string_view keyword = keywords.emplace_back(each->keyword);
        std::string& text = texts.emplace_back(each->val);
        if (keyword == "host" || keyword == "hostaddr" || keyword == "port")
            text = turned(text, first_host);
        if (keyword == "host" && text.find(',') != std::string::npos) texts[1] = "read-write";
    }
    keywords.push_back("client_encoding");
    texts.emplace_back("UTF8");  // all clients must encode a path in the same way
    std::vector<const char*> values;
    for (const std::string& text : texts) values.push_back(text.c_str());
    keywords.push_back(nullptr);
    values.push_back(nullptr);
    return ::PQconnectStartParams(keywords.data(), values.data(), 0);
}

failure kind_of(std::string_view state) noexcept {
    if (state == "40001" || state == "40P01" || state == "23505") return failure::retry;
    if (state == "55P03") return failure::row_held;
    // These codes report a broken connection, or a server that shuts down or has no free connection.
    if (state.starts_with("08") || state.starts_with("57P") || state == "53300" ||
        state == "25P03" || state == "25P02")
        return failure::lost;
    if (state == "28P01" || state == "28000") return failure::refused;
    return failure::fatal;
}

}  // namespace

void postgresql_link::result_end::operator()(pg_result* r) const noexcept {
    ::PQclear(r);
}

void postgresql_link::open() {
    close();
    try {
        connection_ = start(settings_.uri, first_host_);
        if (connection_ == nullptr) throw std::bad_alloc{};
        ::PQsetErrorVerbosity(connection_, PQERRORS_VERBOSE);  // messages contain SQLSTATE
        ::PQsetNoticeProcessor(
            connection_, [](void* /*unused*/, const char* /*text*/) {}, nullptr);
        PostgresPollingStatusType next = PGRES_POLLING_WRITING;
        if (::PQstatus(connection_) == CONNECTION_BAD) fail_to_connect();
        while (next != PGRES_POLLING_OK) {
            if (next == PGRES_POLLING_READING) settings_.failures->set_silent(settings_.name);
            await_socket(next == PGRES_POLLING_READING ? POLLIN : POLLOUT);
            next = ::PQconnectPoll(connection_);
            if (next == PGRES_POLLING_FAILED) fail_to_connect();
        }
        require(::PQsetnonblocking(connection_, 1) == 0);
    } catch (const database_error&) {
        ++first_host_;
        throw;
    }
}

void postgresql_link::close() noexcept {
    ::PQfinish(connection_);
    connection_ = nullptr;
}

pg_conn* postgresql_link::get() const {
    if (connection_ == nullptr) lose("there is no connection");
    return connection_;
}

// An SQLSTATE of class 28 means wrong credentials. libpq gives it only inside the message: "FATAL:  28P01: password
// ...". Port numbers and names in the message may contain the same characters.
void postgresql_link::fail_to_connect() const {
    const std::string why = ::PQerrorMessage(connection_);
    const bool refused =
        why.find(":  28P01: ") != std::string::npos || why.find(":  28000: ") != std::string::npos;
    refuse(refused ? failure::refused : failure::lost, why.substr(0, why.find('\n')));
}

postgresql_link::owned_result postgresql_link::run(const std::string& statements) {
    require(::PQsendQuery(get(), statements.c_str()) != 0);
    owned_result last;
    for (;;) {
        owned_result next = next_result();
        if (!next) break;
        const ExecStatusType status = ::PQresultStatus(next.get());
        const bool good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
        // Keeps the first failure, because it causes the later failures.
        if (!last || ::PQresultStatus(last.get()) != PGRES_FATAL_ERROR || !good)
            last = std::move(next);
    }
    if (!last) lose("no answer");
    const ExecStatusType status = ::PQresultStatus(last.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(last.get());
    return last;
}

void postgresql_link::await_socket(short events) {
    if (patience_.await(::PQsocket(connection_), events) == 0)
        lose(fmt::format("no answer for {}", base::duration_text(patience_.length())));
}

void postgresql_link::consume() {
    require(::PQconsumeInput(connection_) != 0);
}

// Reads while it sends: the server may stop reading until the client has read some of the answers.
void postgresql_link::flush() {
    int flushed = 0;
    while ((flushed = ::PQflush(connection_)) == 1) {
        await_socket(POLLIN | POLLOUT);
        consume();
    }
    require(flushed == 0);
}

postgresql_link::owned_result postgresql_link::next_result() {
    flush();
    while (::PQisBusy(connection_) != 0) {
        await_socket(POLLIN);
        consume();
    }
    return owned_result{::PQgetResult(connection_)};
}

// If the server does not know a prepared statement, or already has it, a connection pool has given this session a
// server process that another session also uses.
void postgresql_link::fail(const pg_result* r) {
    if (::PQstatus(connection_) == CONNECTION_BAD) lose(::PQresultErrorMessage(r));
    const char* const state = ::PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char* const text = ::PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    const std::string_view code{state == nullptr ? "" : state};
    std::string_view hint;
    if (code == "42501") hint = ": this user lacks a right (docs/how-to/postgresql.md)";
    if (code == "26000" || code == "42P05") {
        has_own_process_ = false;
        hint =
            ": other clients use this connection's server process, too (docs/how-to/postgresql.md, "
            "PgBouncer)";
    }
    refuse(kind_of(code), fmt::format("{}{}", text == nullptr ? "" : text, hint));
}

void postgresql_link::refuse(failure kind, const std::string& why) const {
    throw database_error{kind, settings_.name, why};
}

void postgresql_link::lose(const std::string& why) const {
    refuse(failure::lost, why.substr(0, why.find('\n')));
}

void postgresql_link::require(bool succeeded) const {
    if (!succeeded) lose(::PQerrorMessage(connection_));
}

// ---- bells: messages that wake a session ----------------------------------------------------

bool postgresql_link::take_bells() noexcept {
    bool rung = false;
    while (PGnotify* const bell = ::PQnotifies(connection_)) {
        rung = true;
        ::PQfreemem(bell);
    }
    return rung;
}

// First checks for a NOTIFY that has arrived together with an earlier answer.
database::woken postgresql_link::wait(int caller, boottime_clock::time_point until) {
    if (is_open() && take_bells()) return database::woken::by_bell;
    std::array<pollfd, 2> waited{
        {{caller, POLLIN, 0}, {is_open() ? ::PQsocket(connection_) : -1, POLLIN, 0}}};
    support::await_any(waited, until);
    if (waited[1].revents != 0) {
        consume();
        if (take_bells()) return database::woken::by_bell;
    }
    return waited[0].revents != 0 ? database::woken::by_caller : database::woken::by_time;
}

// ---- connection pools that share server processes between clients ---------------------------

// A pool such as PgBouncer may give a server process to another client after each transaction. But a session keeps its
// prepared statements, its settings and its LISTEN in the process.
//
// At the connect, a server sends the number of its process, and a pool sends another number. If the server process
// itself reports the number that arrived, there is no pool. Otherwise a second connection sends a NOTIFY while the
// session waits without a request in progress. If the NOTIFY arrives, the pool reserves the process for this session. A
// PgBouncer that shares the process discards the NOTIFY, or gives it to the process's current client.
//
// If all processes of the pool are in use, the second connection fails, and this check proves nothing. Then fail()
// detects a shared process later, because the names of prepared statements differ between sessions.
void postgresql_link::check_pool(const std::string& process) {
    if (has_own_process_ || process == std::to_string(::PQbackendPID(connection_))) return;
    const auto bound = patience_.length() / k_bell_part;
    patience of_ringer{bound, settings_.closing};
    postgresql_link ringer{settings_, of_ringer};
    ringer.first_host_ = first_host_;
    const std::string channel = "turnstile_pool_" + process;
    run("LISTEN " + channel);
    const int closing = settings_.closing->closing.fd();
    // Drops each NOTIFY that arrived together with the answer to LISTEN.
    static_cast<void>(wait(closing, boottime_clock::now()));
    bool rung = false;
    try {
        of_ringer.begin();
        ringer.open();
        ringer.run("NOTIFY " + channel);
        rung = true;
    } catch (const database_error&) {
        // If the second connection fails, the check for a connection pool proves nothing.
    }
    const auto until = patience_.end_of(bound);
    auto how = rung ? database::woken::by_time : database::woken::by_caller;
    while (how == database::woken::by_time && boottime_clock::now() < until)
        how = wait(closing, until);
    run("UNLISTEN " + channel);
    has_own_process_ = how == database::woken::by_bell;
    if (how == database::woken::by_time)
        refuse(failure::fatal,
               "is a pool that lends server processes for single transactions or statements "
               "(PgBouncer's pool_mode = transaction or statement); set pool_mode = session");
}

}  // namespace turnstile::sql
