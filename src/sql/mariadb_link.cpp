// SPDX-License-Identifier: Apache-2.0
#include "sql/mariadb_link.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <mysql.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <mutex>
#include <new>
#include <utility>

#include "base/duration_text.hpp"
#include "support/private_file.hpp"

namespace turnstile::sql {
namespace {

using namespace std::chrono_literals;

// The stack for libmariadb's non-blocking calls. The default of 60 KiB is too small for name services and TLS
// handshakes. Unused pages cost no memory.
constexpr std::size_t k_stack = std::size_t{512} * 1024;
// These login methods do not send the password in plain text. They send a proof that the client knows the password, or
// encrypt the password with the server's key.
[[maybe_unused]] constexpr const char* k_methods_without_tls =
    "mysql_native_password,client_ed25519,parsec,caching_sha2_password,sha256_password,"
    "auth_gssapi_client";
constexpr int k_most_steps_to_an_end = 1000;
// The longest wait for the server in the handshake.
constexpr std::chrono::seconds k_longest_silence{5};
constexpr int k_everything =
    MYSQL_WAIT_READ | MYSQL_WAIT_WRITE | MYSQL_WAIT_EXCEPT | MYSQL_WAIT_TIMEOUT;

short poll_events(int waits) noexcept {
    int events = 0;
    if ((waits & MYSQL_WAIT_READ) != 0) events |= POLLIN;
    if ((waits & MYSQL_WAIT_WRITE) != 0) events |= POLLOUT;
    if ((waits & MYSQL_WAIT_EXCEPT) != 0) events |= POLLPRI;
    return static_cast<short>(events);
}

// Returns the awaited events that are ready. A broken socket counts as ready for all awaited events.
int ready_flags(int waits, short events) noexcept {
    if ((events & (POLLERR | POLLHUP | POLLNVAL)) != 0) return waits & ~MYSQL_WAIT_TIMEOUT;
    int flags = 0;
    if ((events & POLLIN) != 0) flags |= MYSQL_WAIT_READ;
    if ((events & POLLOUT) != 0) flags |= MYSQL_WAIT_WRITE;
    if ((events & POLLPRI) != 0) flags |= MYSQL_WAIT_EXCEPT;
    return flags;
}

// libmariadb's first call makes the whole process ignore SIGPIPE, and child processes would inherit this action. Only
// the program may change the action. So this function restores it, and the threads that use a link block the signal.
void begin_library() {
    static std::once_flag begun;
    std::call_once(begun, [] {
        struct sigaction before {};
        ::sigaction(SIGPIPE, nullptr, &before);
        static_cast<void>(::mysql_server_init(0, nullptr, nullptr));
        ::sigaction(SIGPIPE, &before, nullptr);
    });
}

const char* or_null(const std::string& text) noexcept {
    return text.empty() ? nullptr : text.c_str();
}

}  // namespace

mariadb_link::mariadb_link(std::string name, patience& limit)
    : name_{std::move(name)}, patience_{limit} {}

mariadb_link::~mariadb_link() {
    close();
}

void mariadb_link::close() noexcept {
    if (connection_ == nullptr) return;
    if (next_) {
        ::shutdown(socket(), SHUT_RDWR);
        for (int i = 0; waiting_ != 0 && i != k_most_steps_to_an_end; ++i)
            waiting_ = next_(k_everything);
    }
    next_ = nullptr;
    waiting_ = 0;
    ::mysql_free_result(std::exchange(stored_, nullptr));
    ::mysql_close(std::exchange(connection_, nullptr));
}

// The server chooses the login method. Without TLS, forbids the methods that send the password in plain text
// (mysql_clear_password, dialog), because a server of an attacker could request them.
void mariadb_link::set_authentication([[maybe_unused]] const mariadb_target& target) {
#if defined(MARIADB_PACKAGE_VERSION_ID) && MARIADB_PACKAGE_VERSION_ID >= 30300
    const bool is_private = target.encrypted() || target.hosts.empty();  // a local socket
    if (is_private) return;
    if (::mysql_optionsv(connection_, MARIADB_OPT_RESTRICTED_AUTH, k_methods_without_tls) != 0)
        throw std::bad_alloc{};
#endif
}

// Switches LOCAL INFILE off: otherwise libmariadb would send any file of this host that the server requests.
void mariadb_link::set_options(const mariadb_target& target) {
    const auto set = [this](mysql_option option, const void* given) {
        if (::mysql_optionsv(connection_, option, given) != 0) throw std::bad_alloc{};
    };
    const auto set_parameter = [&](mysql_option option, const char* name) {
        if (const auto text = target.parameter(name); !text.empty()) set(option, text.c_str());
    };
    const unsigned off = 0;
    set(MYSQL_OPT_NONBLOCK, &k_stack);
    set(MYSQL_OPT_LOCAL_INFILE, &off);
    set(MYSQL_SET_CHARSET_NAME, "utf8mb4");
    set_authentication(target);
    ::mysql_optionsv(connection_, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name", "turnstile");
    if (target.parameters.contains("defaults_file") ||
        target.parameters.contains("defaults_group")) {
        set_parameter(MYSQL_READ_DEFAULT_FILE, "defaults_file");
        const auto group = target.parameter("defaults_group");
        set(MYSQL_READ_DEFAULT_GROUP, group.empty() ? "client" : group.c_str());
    }
    const unsigned protocol = target.hosts.empty() ? MYSQL_PROTOCOL_SOCKET : MYSQL_PROTOCOL_TCP;
    if (!target.hosts.empty() || target.parameters.contains("socket"))
        set(MYSQL_OPT_PROTOCOL, &protocol);
    if (!target.encrypted()) return;
    const my_bool on = 1;
    set(MYSQL_OPT_SSL_ENFORCE, &on);
    // During the handshake libmariadb makes the socket blocking, and only this option limits a read, in seconds. After
    // a failed read, libmariadb waits for the same number of milliseconds and gives up.
    const auto silence =
        std::clamp<std::chrono::milliseconds>(patience_.length() / 2, 1s, k_longest_silence);
    const auto handshake =
        static_cast<unsigned>(std::chrono::ceil<std::chrono::seconds>(silence).count());
    set(MYSQL_OPT_CONNECT_TIMEOUT, &handshake);
    // Without this option libmariadb logs in without TLS if the server's greeting does not offer TLS.
    set(MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &on);
    set_parameter(MYSQL_OPT_SSL_CA, "ssl_ca");
    set_parameter(MYSQL_OPT_SSL_CAPATH, "ssl_capath");
    set_parameter(MARIADB_OPT_TLS_PEER_FP, "ssl_fp");
    set_parameter(MYSQL_OPT_SSL_CERT, "ssl_cert");
    if (const auto why = support::exposure_of_key(target.parameter("ssl_key")); !why.empty())
        throw database_error{failure::fatal, "ssl_key=" + why};
    set_parameter(MYSQL_OPT_SSL_KEY, "ssl_key");
    set_parameter(MARIADB_OPT_TLS_PASSPHRASE, "ssl_key_password");
    set_parameter(MYSQL_OPT_SSL_CIPHER, "ssl_cipher");
    set_parameter(MYSQL_OPT_SSL_CRL, "ssl_crl");
    set_parameter(MYSQL_OPT_SSL_CRLPATH, "ssl_crlpath");
    set_parameter(MARIADB_OPT_TLS_VERSION, "tls_version");
}

// CLIENT_FOUND_ROWS makes an UPDATE count the rows that it finds, even if it does not change their values.
void mariadb_link::open(const mariadb_target& target, const mariadb_host* host,
                        const std::function<void()>& accepted) {
    close();
    begin_library();
    connection_ = ::mysql_init(nullptr);
    if (connection_ == nullptr) throw std::bad_alloc{};
    set_options(target);
    const std::string socket = target.parameter("socket");
    const char* const host_name = host == nullptr ? nullptr : host->name.c_str();
    const unsigned port = host == nullptr ? 0 : host->port;
    connected_ = nullptr;
    const int waiting =
        ::mysql_real_connect_start(&connected_, connection_, host_name, or_null(target.user),
                                   or_null(target.password), target.database.c_str(), port,
                                   or_null(socket), CLIENT_MULTI_STATEMENTS | CLIENT_FOUND_ROWS);
    step([this](int ready) { return ::mysql_real_connect_cont(&connected_, connection_, ready); },
         waiting);
    keep_from_programs();
    try {
        drive([&] {
            never_block();
            if (accepted) accepted();
        });
    } catch (const database_error&) {
        close();  // the abandoned call still reads the variables above
        throw;
    }
    keep_from_programs();  // again: the library may have tried several addresses
    never_block();
    if (connected_ == nullptr) fail(last_error());
    if (target.encrypted() && ::mysql_get_ssl_cipher(connection_) == nullptr)
        throw database_error{failure::fatal, name_, "the connection is not encrypted"};
}

// libmariadb does not set close-on-exec. Without this flag, a program that this process starts could use the
// connection, and would keep it open after this process has ended.
void mariadb_link::keep_from_programs() const noexcept {
    if (const int open = socket(); open >= 0) ::fcntl(open, F_SETFD, FD_CLOEXEC);
}

// libmariadb leaves the socket blocking, and passes a non-blocking flag to its own reads. OpenSSL reads without this
// flag. If a TLS record contained no part of the answer, OpenSSL's read would block this thread without limit. So this
// function makes the socket itself non-blocking.
void mariadb_link::never_block() const noexcept {
    const int open = socket();
    if (open < 0) return;
    const int flags = ::fcntl(open, F_GETFL);
    if (flags >= 0) ::fcntl(open, F_SETFL, flags | O_NONBLOCK);
}

bool mariadb_link::in_transaction() const noexcept {
    return connection_ != nullptr && (connection_->server_status & SERVER_STATUS_IN_TRANS) != 0;
}

mariadb_facts mariadb_link::version() const {
    mariadb_facts facts;
    facts.version = ::mysql_get_server_info(connection_);
    facts.version_number = static_cast<std::int64_t>(::mysql_get_server_version(connection_));
    facts.mariadb = ::mariadb_connection(connection_) != 0;
    return facts;
}

// ---- statements ---------------------------------------------------------------------------------

mariadb_answers mariadb_link::run(const std::string& statements) {
    start(statements);
    return finish();
}

void mariadb_link::start(const std::string& statements) {
    if (!usable()) lose("there is no connection");
    failed_ = 0;
    sent_ = statements;
    const int waiting = ::mysql_real_query_start(&failed_, connection_, sent_.data(), sent_.size());
    step([this](int ready) { return ::mysql_real_query_cont(&failed_, connection_, ready); },
         waiting);
}

mariadb_answers mariadb_link::finish() {
    mariadb_answers out;
    drive();
    for (;;) {
        if (failed_ != 0) break;
        const int waiting = ::mysql_store_result_start(&stored_, connection_);
        step([this](int ready) { return ::mysql_store_result_cont(&stored_, connection_, ready); },
             waiting);
        drive();
        if (stored_ == nullptr && ::mysql_errno(connection_) != 0) break;
        out.each.push_back(take_rows());
        out.inserted.push_back(static_cast<std::int64_t>(::mysql_insert_id(connection_)));
        if (::mysql_more_results(connection_) == 0) return out;
        const int next = ::mysql_next_result_start(&failed_, connection_);
        step([this](int ready) { return ::mysql_next_result_cont(&failed_, connection_, ready); },
             next);
        drive();
    }
    out.failure = last_error();
    if (kind_of(*out.failure) == failure::lost && out.failure->number >= 2000)
        lose(out.failure->text);
    return out;
}

result_rows mariadb_link::take_rows() {
    result_rows out;
    if (stored_ == nullptr) {
        out.affected = static_cast<std::int64_t>(::mysql_affected_rows(connection_));
        return out;
    }
    const unsigned columns = ::mysql_num_fields(stored_);
    while (const MYSQL_ROW cells = ::mysql_fetch_row(stored_)) {
        const unsigned long* const lengths = ::mysql_fetch_lengths(stored_);
        row& filled = out.rows.emplace_back();
        for (unsigned i = 0; i != columns; ++i)
            filled.emplace_back(cells[i] == nullptr ? "" : cells[i],
                                cells[i] == nullptr ? 0 : lengths[i]);
    }
    out.affected = static_cast<std::int64_t>(out.rows.size());
    ::mysql_free_result(std::exchange(stored_, nullptr));
    return out;
}

void mariadb_link::step(std::function<int(int)> next, int waiting) {
    waiting_ = waiting;
    next_ = waiting == 0 ? nullptr : std::move(next);
}

void mariadb_link::drive(const std::function<void()>& reads) {
    while (next_) {
        if (reads && (waiting_ & MYSQL_WAIT_READ) != 0) reads();
        const short ready = patience_.await(socket(), poll_events(waiting_));
        if (ready == 0)
            lose(fmt::format("no answer for {}", base::duration_text(patience_.length())));
        go_on(ready);
    }
}

int mariadb_link::socket() const noexcept {
    return connection_ == nullptr ? -1 : ::mysql_get_socket(connection_);
}

short mariadb_link::events() const noexcept {
    return next_ ? poll_events(waiting_) : short{0};
}

void mariadb_link::go_on(short ready) {
    if (!next_) return;
    waiting_ = next_(ready_flags(waiting_, ready));
    if (waiting_ == 0) next_ = nullptr;
}

mariadb_error mariadb_link::last_error() const {
    return {::mysql_errno(connection_), ::mysql_error(connection_)};
}

void mariadb_link::fail(const mariadb_error& why) const {
    throw database_error{kind_of(why), name_, sentence(why)};
}

void mariadb_link::lose(const std::string& why) const {
    throw database_error{failure::lost, name_, why.substr(0, why.find('\n'))};
}

}  // namespace turnstile::sql
