// SPDX-License-Identifier: Apache-2.0
#include "redis/session_threads.hpp"

#include <sys/epoll.h>

#include <boost/thread/thread.hpp>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace turnstile::redis {
namespace {

// The mask with which a connection requests no events of epoll. epoll still reports a connection that was reset, and
// may then wake the session's thread.
constexpr std::uint32_t k_silent = 0;

int new_epoll() {
    const int descriptor = ::epoll_create1(EPOLL_CLOEXEC);
    if (descriptor < 0) throw std::system_error{errno, std::generic_category(), "epoll_create1"};
    return descriptor;
}

int change(int epoll, int operation, int connection, std::uint32_t events) noexcept {
    epoll_event wanted{};
    wanted.events = events;
    return ::epoll_ctl(epoll, operation, connection, &wanted);
}

}  // namespace

reading_turn::reading_turn() : readable_{new_epoll()} {}

bool reading_turn::watch(int connection) noexcept {
    forget();
    if (change(readable_.get(), EPOLL_CTL_ADD, connection, EPOLLIN) != 0) return false;
    connection_ = connection;
    return true;
}

void reading_turn::forget() noexcept {
    if (connection_ >= 0) change(readable_.get(), EPOLL_CTL_DEL, connection_, k_silent);
    connection_ = -1;
}

void reading_turn::resume(base::unique_lock& session) {
    const boost::this_thread::disable_interruption uninterrupted;
    if (turn_ == turn_of::helper) {
        wanted_ = true;
        leave_.set();
        while (turn_ == turn_of::helper) left_.wait(session);
        leave_.clear();
        wanted_ = false;
    }
    turn_ = turn_of::own_thread;
    reader_ = own_thread_;
}

bool reading_turn::begin_help() noexcept {
    if (turn_ != turn_of::no_thread || wanted_) return false;
    turn_ = turn_of::helper;
    reader_ = ::pthread_self();
    change(readable_.get(), EPOLL_CTL_MOD, connection_, k_silent);
    return true;
}

void reading_turn::end_help() noexcept {
    change(readable_.get(), EPOLL_CTL_MOD, connection_, EPOLLIN);
    turn_ = turn_of::no_thread;
    reader_ = own_thread_;
    left_.notify_all();
}

}  // namespace turnstile::redis
