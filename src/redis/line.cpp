// SPDX-License-Identifier: Apache-2.0
#include "redis/line.hpp"

#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <system_error>

namespace turnstile::redis {
namespace {

int milliseconds_until(core::time_point deadline) noexcept {
    constexpr std::int64_t k_longest = 60'000;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - boottime_clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, k_longest));
}

}  // namespace

void reply_deleter::operator()(redisReply* reply) const noexcept {
    ::freeReplyObject(reply);
}

line::line(const std::string& host, std::uint16_t port)
    : context_{::redisConnectNonBlock(host.c_str(), port)} {
    check();
    if (broken_) return;
    // A program that the user starts does not inherit the session's connection.
    ::fcntl(context_->fd, F_SETFD, FD_CLOEXEC);
    const int on = 1;
    ::setsockopt(context_->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

line::~line() {
    if (context_ != nullptr) ::redisFree(context_);
}

int line::fd() const noexcept {
    return context_ == nullptr ? -1 : context_->fd;
}

void line::check() noexcept {
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

// As hiredis's redisAppendCommandArgv.
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
    if (broken_) return false;
    unsent_.erase(0, write(unsent_));
    return unsent_.empty();
}

std::size_t line::write(std::string_view text) const noexcept {
    std::size_t done = 0;
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

void line::receive() noexcept {
    if (broken_) return;
    ::redisBufferRead(context_);
    check();
}

owned_reply line::next() {
    void* found = nullptr;
    // What came before the end is still there to be read.
    if (context_ == nullptr) return {};
    if (::redisGetReplyFromReader(context_, &found) != REDIS_OK) check();
    return owned_reply{static_cast<redisReply*>(found)};
}

bool line::await(short events, core::time_point deadline, int give_up) {
    std::array<pollfd, 2> waited{{{fd(), events, 0}, {give_up, POLLIN, 0}}};
    const int found = ::poll(waited.data(), waited.size(), milliseconds_until(deadline));
    if (found < 0 && errno != EINTR) return false;
    return waited[1].revents == 0;
}

bool line::await_connection(core::time_point deadline, int give_up) {
    for (;;) {
        if (broken_) return false;
        pollfd socket{fd(), POLLOUT, 0};
        if (::poll(&socket, 1, 0) > 0) break;
        if (boottime_clock::now() >= deadline) {
            broken_ = true;
            reason_ = "no connection in time";
            return false;
        }
        if (!await(POLLOUT, deadline, give_up)) return false;
    }
    int failure = 0;
    socklen_t length = sizeof failure;
    ::getsockopt(fd(), SOL_SOCKET, SO_ERROR, &failure, &length);
    if (failure == 0) return true;
    broken_ = true;
    reason_ = std::generic_category().message(failure);
    return false;
}

owned_reply line::await_reply(core::time_point deadline, int give_up) {
    for (;;) {
        if (auto found = next()) return found;
        if (broken_) return {};
        const bool all = send();
        if (broken_) return {};
        if (boottime_clock::now() >= deadline) {
            reason_ = "no answer in time";
            broken_ = true;
            return {};
        }
        const auto events = static_cast<short>(POLLIN | (all ? 0 : POLLOUT));
        if (!await(events, deadline, give_up)) return {};
        receive();
    }
}

owned_reply line::ask(const std::vector<std::string_view>& words, core::time_point deadline,
                      int give_up) {
    append(words);
    return await_reply(deadline, give_up);
}

}  // namespace turnstile::redis
