// SPDX-License-Identifier: Apache-2.0
#include "redis/reading_turn.hpp"

#include <sys/epoll.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace turnstile::redis {
namespace {

int make_epoll() {
    const int made = ::epoll_create1(EPOLL_CLOEXEC);
    if (made < 0) throw std::system_error{errno, std::generic_category(), "epoll_create1"};
    return made;
}

// With no events asked for it still tells of a connection that was reset, which the own thread may as well learn.
constexpr std::uint32_t k_nothing = 0;

int change(int epoll, int how, int connection, std::uint32_t events) noexcept {
    epoll_event asked{};
    asked.events = events;
    return ::epoll_ctl(epoll, how, connection, &asked);
}

}  // namespace

reading_turn::reading_turn() : readable_{make_epoll()} {}

bool reading_turn::watch(int connection) noexcept {
    forget();
    if (change(readable_.get(), EPOLL_CTL_ADD, connection, EPOLLIN) != 0) return false;
    connection_ = connection;
    return true;
}

void reading_turn::forget() noexcept {
    if (connection_ >= 0) change(readable_.get(), EPOLL_CTL_DEL, connection_, k_nothing);
    connection_ = -1;
}

void reading_turn::resume(base::unique_lock& session) {
    if (turn_.resume(session, [this] { leave_.set(); })) leave_.clear();
}

bool reading_turn::begin_help() noexcept {
    if (!turn_.begin_help()) return false;
    change(readable_.get(), EPOLL_CTL_MOD, connection_, k_nothing);
    return true;
}

void reading_turn::end_help() noexcept {
    change(readable_.get(), EPOLL_CTL_MOD, connection_, EPOLLIN);
    turn_.end_help();
}

}  // namespace turnstile::redis
