// SPDX-License-Identifier: Apache-2.0
#include "guardian/session_end.hpp"

#include <endian.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace turnstile::guardian {
namespace {

using std::chrono::milliseconds;

// The time limit of an attempt to close the session at one server. A round of attempts tries each server once. The
// limit starts at k_first_patience, and doubles in each round up to k_longest_patience.
constexpr milliseconds k_first_patience{200};
constexpr milliseconds k_longest_patience{5'000};
constexpr milliseconds k_pause_between_rounds{20};

// Instead of this timeout, servers grant their minSessionTimeout, which starts at the attach. So the session ends soon
// even if the servers refuse the close.
constexpr std::int32_t k_shortest_timeout_ms = 1;

constexpr std::int32_t k_close_request = -11;
constexpr std::int32_t k_sasl_request = 102;

void put_int(packet& out, std::int32_t value) {
    const std::uint32_t big = ::htobe32(static_cast<std::uint32_t>(value));
    const auto bytes = std::as_bytes(std::span{&big, 1});
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void put_long(packet& out, std::int64_t value) {
    const std::uint64_t big = ::htobe64(static_cast<std::uint64_t>(value));
    const auto bytes = std::as_bytes(std::span{&big, 1});
    out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace

session_end::session_end(guard_session session, time_point died, time_point now)
    : session_{std::move(session)}, give_up_{died + session_.timeout}, patience_{k_first_patience} {
    attempt(now);
}

session_end::~session_end() {
    finish();
}

void session_end::finish() noexcept {
    state_ = state::over;
    secured_.reset();
    exchange_.value.reset();
    socket_.reset();
    ::explicit_bzero(session_.secret.data(), session_.secret.size());
    ::explicit_bzero(session_.sasl.password.data(), session_.sasl.password.size());
    answers_.wipe();
    if (!out_.empty()) ::explicit_bzero(out_.data(), out_.size());
}

short session_end::events() const noexcept {
    if (state_ == state::securing) return awaited_;
    return static_cast<short>(POLLIN | (out_.empty() ? 0 : POLLOUT));
}

time_point session_end::wake_at() const noexcept {
    return std::min(wake_, give_up_);
}

void session_end::attempt(time_point now) {
    const endpoint& server = session_.servers.at(next_);
    answers_.restart();
    secured_.reset();
    wake_ = now + patience_;
    socket_ = support::descriptor{
        ::socket(server.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!socket_.open()) return next_server(now);
    const int on = 1;
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const auto* const address = reinterpret_cast<const sockaddr*>(&server.address);
    if (::connect(socket_.get(), address, server.length) != 0 && errno != EINPROGRESS)
        return next_server(now);
    if (!session_.security.enabled) return send_attach();
    if (!begin_securing(server)) next_server(now);
}

bool session_end::begin_securing(const endpoint& server) {
    context_ = tls::make_context(session_.security, {});
    if (!context_.value) return false;
    secured_ = context_.value->open(socket_.get(), server.host);
    state_ = state::securing;
    return go_on_securing();
}

bool session_end::go_on_securing() {
    switch (secured_->go_on()) {
        case tls::handshake_step::failed: return false;
        case tls::handshake_step::wants_to_read: awaited_ = POLLIN; return true;
        case tls::handshake_step::wants_to_write: awaited_ = POLLOUT; return true;
        case tls::handshake_step::done: break;
    }
    send_attach();
    return true;
}

// Chooses the next server. The guardian pauses after it has tried each server once, and then begins another round.
void session_end::next_server(time_point now) {
    secured_.reset();
    exchange_.value.reset();
    socket_.reset();
    state_ = state::pausing;
    wake_ = now;
    if (++next_ != session_.servers.size()) return;
    // A server has attached the session but refused to close it. Another round would only extend the session.
    if (is_refused_) return finish();
    next_ = 0;
    wake_ = now + k_pause_between_rounds + patience_ / 10;
    patience_ = std::min(patience_ * 2, k_longest_patience);
}

void session_end::send_attach() {
    state_ = state::attaching;
    out_.clear();
    put_int(out_, 45);  // the length of the rest
    put_int(out_, 0);   // the protocol's version
    put_long(out_, 0);  // the last transaction seen: none
    put_int(out_, k_shortest_timeout_ms);
    put_long(out_, session_.id);
    put_int(out_, static_cast<std::int32_t>(session_.secret.size()));
    const auto secret = std::as_bytes(std::span{session_.secret});
    out_.insert(out_.end(), secret.begin(), secret.end());
    out_.push_back(std::byte{0});  // false: a read-only server cannot close a session
}

void session_end::send_close() {
    out_.clear();
    put_int(out_, 8);
    put_int(out_, k_close_id);
    put_int(out_, k_close_request);
    state_ = state::closing;
}

bool session_end::begin_authenticating() {
    exchange_ = tls::make_sasl_exchange(session_.sasl, session_.servers.at(next_).host);
    tokens_ = 0;
    state_ = state::authenticating;
    return exchange_.value && send_token({});
}

// SASL requests have the ids that follow the close request's id.
bool session_end::send_token(std::string_view from_server) {
    const bool was_last = exchange_.value->is_complete();
    const auto token =
        was_last ? std::optional{std::string{}} : exchange_.value->answer(from_server);
    if (!token || tokens_ == tls::k_most_sasl_tokens) return false;
    if (was_last || (exchange_.value->is_complete() && token->empty())) {
        send_close();
        return true;
    }
    const auto id = k_close_id + ++tokens_;
    const auto length = static_cast<std::int32_t>(token->size());
    constexpr std::int32_t k_head = 12;  // without its own length
    out_.clear();
    put_int(out_, k_head + length);
    put_int(out_, id);
    put_int(out_, k_sasl_request);
    put_int(out_, length);
    const auto bytes = std::as_bytes(std::span{*token});
    out_.insert(out_.end(), bytes.begin(), bytes.end());
    answers_.expect_token(id);
    return true;
}

void session_end::on_time(time_point now) {
    if (over()) return;
    if (now >= give_up_) return finish();
    if (now < wake_) return;
    if (state_ == state::pausing) return attempt(now);
    next_server(now);
}

void session_end::on_ready(time_point now) {
    if (over() || !socket_.open()) return;
    if (state_ == state::securing) {
        if (!go_on_securing()) return next_server(now);
        if (state_ == state::securing) return;
    }
    // A server may close the connection directly after its answer to the close. In this case over() is true.
    if (!write_some() || !read_some()) {
        if (!over()) next_server(now);
        return;
    }
    if (!over() && !out_.empty() && !write_some()) next_server(now);
}

bool session_end::write_some() {
    while (!out_.empty()) {
        const auto sent =
            secured_ ? secured_->write({reinterpret_cast<const char*>(out_.data()), out_.size()})
                     : ::send(socket_.get(), out_.data(), out_.size(), MSG_NOSIGNAL);
        if (secured_ && sent <= 0) return sent == 0;
        if (sent < 0) return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
        ::explicit_bzero(out_.data(), static_cast<std::size_t>(sent));
        out_.erase(out_.begin(), out_.begin() + sent);
    }
    return true;
}

// Reads until no byte is left, because poll() does not report bytes that OpenSSL has buffered. The loop ends, because
// end_answers limits the bytes of one connection.
bool session_end::read_some() {
    for (;;) {
        const auto room = answers_.room();
        const auto got = secured_
                             ? secured_->read(reinterpret_cast<char*>(room.data()), room.size())
                             : ::recv(socket_.get(), room.data(), room.size(), 0);
        if (secured_ && got <= 0) return got == 0;
        if (got < 0) return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
        if (got == 0) return false;
        const auto told = answers_.take(static_cast<std::size_t>(got));
        if (told != end_answers::step::wait || !secured_) return go_on_after(told);
    }
}

bool session_end::go_on_after(end_answers::step told) {
    switch (told) {
        case end_answers::step::wait: return true;
        case end_answers::step::close:
            if (tls::is_enabled(session_.sasl)) return begin_authenticating() || refuse();
            send_close();
            return true;
        case end_answers::step::token: return send_token(answers_.token()) || refuse();
        case end_answers::step::over: finish(); return true;
        case end_answers::step::broken: break;
    }
    return answers_.has_attached() && refuse();
}

bool session_end::refuse() noexcept {
    is_refused_ = true;
    return false;
}

}  // namespace turnstile::guardian
