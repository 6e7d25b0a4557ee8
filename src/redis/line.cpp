// SPDX-License-Identifier: Apache-2.0
#include "redis/line.hpp"

#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <system_error>

#include "support/poll_time.hpp"

namespace turnstile::redis {
namespace {

constexpr const char* k_too_long = "the server sends a longer reply than Turnstile expects";
constexpr const char* k_no_greeting =
    "no answer to the TLS handshake in time (use redis:// for a server without TLS)";

struct resolution {
    std::vector<server_address> addresses;  // numeric
    std::string failure;                    // set if there are none
};

// Resolves a name as hiredis does: uses IPv6 addresses only if there is no IPv4 address. hiredis itself does not return
// the addresses.
resolution resolve(const server_address& named, int give_up) {
    resolution out;
    for (const int family : {AF_INET, AF_INET6}) {
        if (support::is_readable(give_up)) {
            out.failure = "the client stopped the attempt to connect";
            break;
        }
        addrinfo wanted{};
        wanted.ai_family = family;
        wanted.ai_socktype = SOCK_STREAM;
        addrinfo* found = nullptr;
        if (const int why = ::getaddrinfo(named.host.c_str(), nullptr, &wanted, &found); why != 0) {
            out.failure = ::gai_strerror(why);
            continue;
        }
        const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all{found, ::freeaddrinfo};
        for (const auto* each = found; each != nullptr; each = each->ai_next) {
            std::array<char, NI_MAXHOST> host{};
            if (::getnameinfo(each->ai_addr, each->ai_addrlen, host.data(), host.size(), nullptr, 0,
                              NI_NUMERICHOST) == 0)
                out.addresses.push_back({host.data(), named.port});
        }
        if (!out.addresses.empty()) break;
    }
    return out;
}

}  // namespace

void reply_deleter::operator()(redisReply* reply) const noexcept {
    ::freeReplyObject(reply);
}

line::line(const server_address& to, const tls::context* tls, int give_up, const std::string& name)
    : address_{to}, name_{name.empty() ? to.host : name}, tls_{tls}, opening_{POLLOUT} {
    begin_to_connect(give_up);
    if (broken_) return;
    bound_.emplace(*context_->reader);
    // Programs that the process starts must not inherit the connection.
    ::fcntl(context_->fd, F_SETFD, FD_CLOEXEC);
    const int on = 1;
    ::setsockopt(context_->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Takes the first address to which the system has a route.
void line::begin_to_connect(int give_up) {
    const auto begin = boottime_clock::now();
    auto [addresses, failure] = resolve(address_, give_up);
    resolving_ = boottime_clock::now() - begin;
    if (addresses.empty()) return break_off(std::move(failure));
    for (auto& each : addresses) {
        if (context_ != nullptr) ::redisFree(context_);
        context_ = ::redisConnectNonBlock(each.host.c_str(), each.port);
        peer_ = std::move(each);
        if (context_ == nullptr || context_->err == 0) break;
    }
    check();
}

line::~line() {
    secured_.reset();  // must end before the socket that it uses
    if (context_ != nullptr) ::redisFree(context_);
}

int line::fd() const noexcept {
    return context_ == nullptr ? -1 : context_->fd;
}

void line::check() {
    if (broken_) return;
    if (context_ == nullptr) {
        broken_ = true;
    } else if (context_->err != 0) {
        broken_ = true;
        reason_ = static_cast<const char*>(context_->errstr);
    }
}

std::string line::reason() const {
    return reason_.empty() ? "no memory for a connection" : reason_;
}

// Writes the same format as hiredis's redisAppendCommandArgv.
void line::append(const std::vector<std::string_view>& words) {
    const auto number = [this](char kind, std::size_t value) {
        std::array<char, 20> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        unsent_ += kind;
        unsent_.append(digits.data(), end).append("\r\n");
    };
    number('*', words.size());
    for (const auto word : words) {
        number('$', word.size());
        unsent_.append(word).append("\r\n");
    }
}

bool line::send() {
    if (broken_) return unsent_.empty();
    unsent_.erase(0, write(unsent_));
    return unsent_.empty();
}

std::size_t line::write(std::string_view text) const {
    std::size_t done = 0;
    if (secured_ != nullptr) {
        while (done != text.size()) {
            const auto sent = secured_->write(text.substr(done));
            if (sent < 0) return text.size();
            if (sent == 0) break;
            done += static_cast<std::size_t>(sent);
        }
        return done;
    }
    while (done != text.size()) {
        const auto sent = ::send(fd(), text.data() + done, text.size() - done, MSG_NOSIGNAL);
        if (sent >= 0) {
            done += static_cast<std::size_t>(sent);
        } else if (errno == EAGAIN) {
            break;
        } else if (errno != EINTR) {
            return text.size();
        }
    }
    return done;
}

void line::receive() {
    if (broken_) return;
    if (secured_ != nullptr) return receive_secured();
    const std::size_t before = context_->reader->len;
    ::redisBufferRead(context_);
    check();
    if (!bound_->count(context_->reader->len - before)) break_off(k_too_long);
}

// Reads until no bytes are left, because poll() does not report bytes that OpenSSL has buffered.
void line::receive_secured() {
    std::array<char, std::size_t{16} << 10U> buffer{};
    for (;;) {
        const auto came = secured_->read(buffer.data(), buffer.size());
        if (came == 0) return;
        if (came < 0) {
            refused_ = secured_->is_refused();
            return break_off(secured_->reason());
        }
        if (::redisReaderFeed(context_->reader, buffer.data(), static_cast<std::size_t>(came)) !=
            REDIS_OK)
            return break_off(static_cast<const char*>(context_->reader->errstr));
        if (!bound_->count(static_cast<std::size_t>(came))) return break_off(k_too_long);
    }
}

void line::allow_long_replies() noexcept {
    if (bound_) bound_->allow(reply_bound::k_longest_reply);
}

owned_reply line::next() {
    void* found = nullptr;
    // A reply that arrived before the connection broke can still be read.
    if (context_ == nullptr) return {};
    if (::redisGetReplyFromReader(context_, &found) != REDIS_OK) {
        if (bound_ && bound_->is_exceeded())
            break_off("the server announces a longer reply than Turnstile expects");
        check();
    }
    if (found != nullptr && bound_) bound_->begin();
    return owned_reply{static_cast<redisReply*>(found)};
}

short line::awaited() const noexcept {
    if (opening_ != 0) return opening_;
    return static_cast<short>(POLLIN | (unsent_.empty() ? 0 : POLLOUT));
}

bool line::await(core::time_point deadline, int give_up) {
    std::array<pollfd, 2> waited{{{fd(), awaited(), 0}, {give_up, POLLIN, 0}}};
    const int found = ::poll(waited.data(), waited.size(), support::milliseconds_until(deadline));
    if (found < 0 && errno != EINTR) return false;
    return waited[1].revents == 0;
}

void line::break_off(std::string reason) {
    if (std::exchange(broken_, true)) return;
    reason_ = std::move(reason);
}

void line::go_on_connecting() {
    if (broken_ || opening_ == 0) return;
    if (secured_ != nullptr) return go_on_securing();
    pollfd socket{fd(), POLLOUT, 0};
    if (::poll(&socket, 1, 0) <= 0) return;
    int failure = 0;
    socklen_t length = sizeof failure;
    ::getsockopt(fd(), SOL_SOCKET, SO_ERROR, &failure, &length);
    if (failure != 0) return break_off(std::generic_category().message(failure));
    if (tls_ == nullptr) {
        opening_ = 0;
        return;
    }
    secured_ = tls_->open(fd(), name_);
    go_on_securing();
}

void line::go_on_securing() {
    switch (secured_->go_on()) {
        case tls::handshake_step::done: opening_ = 0; return;
        case tls::handshake_step::wants_to_read: opening_ = POLLIN; return;
        case tls::handshake_step::wants_to_write: opening_ = POLLOUT; return;
        case tls::handshake_step::failed: break;
    }
    refused_ = secured_->is_refused();
    break_off(secured_->reason());
}

void line::go_on() {
    go_on_connecting();
    if (broken_ || opening_ != 0) return;
    send();
    receive();
}

bool line::await_connection(core::time_point deadline, int give_up) {
    for (;;) {
        go_on_connecting();
        if (broken_) return false;
        if (opening_ == 0) return true;
        if (boottime_clock::now() >= deadline) {
            break_off(secured_ != nullptr ? k_no_greeting : "no connection in time");
            return false;
        }
        if (!await(deadline, give_up)) return false;
    }
}

owned_reply line::await_reply(core::time_point deadline, int give_up) {
    for (;;) {
        if (auto found = next()) return found;
        if (broken_) return {};
        send();
        if (broken_) return {};
        if (boottime_clock::now() >= deadline) {
            break_off("no answer in time");
            return {};
        }
        if (!await(deadline, give_up)) return {};
        receive();
    }
}

owned_reply line::ask(const std::vector<std::string_view>& words, core::time_point deadline,
                      int give_up) {
    append(words);
    return await_reply(deadline, give_up);
}

}  // namespace turnstile::redis
