// SPDX-License-Identifier: Apache-2.0
// postgresql_link: one connection to PostgreSQL, through libpq.
//
// All waits use libpq's asynchronous calls. So each wait ends after the time limit `patience`, and close() ends a wait
// at once. Functions that use the server throw database_error.
//
// Thread safety: one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "base/latest_failure.hpp"
#include "sql/database.hpp"
#include "sql/patience.hpp"

struct pg_conn;
struct pg_result;

namespace turnstile::sql {

struct postgresql_settings {
    std::string uri;   // in libpq's form
    std::string name;  // for messages, without a password
    std::chrono::milliseconds patience{};
    std::shared_ptr<closing_signal> closing;
    std::string lacking_without_fsync{};  // required promises that a server without fsync lacks
    std::shared_ptr<base::latest_failure> failures = std::make_shared<base::latest_failure>();
};

class postgresql_link {
public:
    struct result_end {
        void operator()(pg_result* r) const noexcept;
    };
    using owned_result = std::unique_ptr<pg_result, result_end>;

    // `settings` and `limit` must outlive this object.
    postgresql_link(const postgresql_settings& settings, patience& limit)
        : settings_{settings}, patience_{limit} {}
    ~postgresql_link() { close(); }
    postgresql_link(const postgresql_link&) = delete;
    postgresql_link& operator=(const postgresql_link&) = delete;

    void open();
    void close() noexcept;
    [[nodiscard]] bool is_open() const noexcept { return connection_ != nullptr; }
    // Returns the connection for calls of libpq that do not wait.
    [[nodiscard]] pg_conn* get() const;
    // Throws if a connection pool shares this connection's server process with other clients. `process`: the process
    // number that the server process itself reports.
    void check_pool(const std::string& process);

    // Executes statements outside a pipeline. Returns the last statement's result.
    owned_result run(const std::string& statements);
    // Sends the bytes that libpq has buffered, and returns the next result; null after the last result of a statement.
    [[nodiscard]] owned_result next_result();
    // Implements database::wait. A NOTIFY wakes the session. Without a connection, no NOTIFY comes.
    [[nodiscard]] database::woken wait(int caller, boottime_clock::time_point until);

    // fail(), refuse() and lose() throw database_error. The error's kind is `kind` for
    // refuse(), `lost` for lose(), and for fail() the kind of the failure in the result `r`.
    [[noreturn]] void fail(const pg_result* r);
    [[noreturn]] void refuse(failure kind, const std::string& why) const;
    [[noreturn]] void lose(const std::string& why) const;
    // Throws `lost` with libpq's message if `succeeded` is false.
    void require(bool succeeded) const;

private:
    [[noreturn]] void fail_to_connect() const;
    void await_socket(short events);
    void flush();
    void consume();
    [[nodiscard]] bool take_bells() noexcept;

    const postgresql_settings& settings_;
    patience& patience_;
    pg_conn* connection_ = nullptr;
    bool has_own_process_ = false;  // behind a pool: check_pool() has proved it
    std::size_t first_host_ = 0;    // index of the host with which the next attempt begins
};

}  // namespace turnstile::sql
