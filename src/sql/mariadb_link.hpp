// SPDX-License-Identifier: Apache-2.0
// mariadb_link: one connection to MariaDB, through libmariadb.
//
//     mariadb_link link{name, patience};
//     link.open(target, host);
//     const auto answers = link.run("SELECT 1;SELECT 2");    // one round trip
//
// All waits use libmariadb's non-blocking calls. So each wait ends after the time limit `patience`, and close() ends a
// wait at once. Only the resolution of a host's name has no limit. To end a call early, the link shuts down its socket,
// and the call then fails by itself. The calling thread must block SIGPIPE, because OpenSSL writes to broken
// connections.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sql/database.hpp"
#include "sql/mariadb_target.hpp"
#include "sql/mariadb_words.hpp"
#include "sql/patience.hpp"

struct st_mysql;
struct st_mysql_res;

namespace turnstile::sql {

// The answers to several statements. The server executes no statement after a failed statement.
struct mariadb_answers {
    std::vector<result_rows> each;
    std::vector<std::int64_t> inserted;  // LAST_INSERT_ID(value) of each statement
    std::optional<mariadb_error> failure{};
};

class mariadb_link {
public:
    mariadb_link(std::string name, patience& limit);
    ~mariadb_link();
    mariadb_link(const mariadb_link&) = delete;
    mariadb_link& operator=(const mariadb_link&) = delete;

    // Calls `accepted` when the connection is established and the client waits for the server's greeting. Throws
    // database_error.
    void open(const mariadb_target& target, const mariadb_host* host,
              const std::function<void()>& accepted);
    void close() noexcept;
    [[nodiscard]] bool is_open() const noexcept { return connection_ != nullptr; }
    // False if there is no connection, or if a call of libmariadb was not finished.
    [[nodiscard]] bool usable() const noexcept { return connection_ != nullptr && !next_; }
    [[nodiscard]] bool in_transaction() const noexcept;
    [[nodiscard]] mariadb_facts version() const;

    // Throws database_error only if the connection is lost. The answers' `failure` reports a statement that the server
    // refused.
    mariadb_answers run(const std::string& statements);

    // ---- functions that execute statements without blocking ----
    void start(const std::string& statements);
    [[nodiscard]] int socket() const noexcept;
    [[nodiscard]] short events()
        const noexcept;       // wait for these events; 0: the statement has ended
    void go_on(short ready);  // `ready`: the events that poll() has returned
    mariadb_answers finish();

    [[noreturn]] void lose(const std::string& why) const;
    [[noreturn]] void fail(const mariadb_error& why) const;

private:
    void set_options(const mariadb_target& target);
    void set_authentication(const mariadb_target& target);
    void keep_from_programs() const noexcept;
    void never_block() const noexcept;
    void step(std::function<int(int)> next, int waiting);
    // Continues the current call of libmariadb until it ends. Calls `reads`, if not empty, before each wait for bytes
    // from the server.
    void drive(const std::function<void()>& reads = {});
    [[nodiscard]] mariadb_error last_error() const;
    [[nodiscard]] result_rows take_rows();

    const std::string name_;
    patience& patience_;
    st_mysql* connection_ = nullptr;
    // Continues the current call of libmariadb; the argument says which events are ready. The members below are the
    // call's input and result.
    std::function<int(int)> next_;
    int waiting_ = 0;
    std::string sent_;
    st_mysql* connected_ = nullptr;
    int failed_ = 0;
    st_mysql_res* stored_ = nullptr;
};

}  // namespace turnstile::sql
