// SPDX-License-Identifier: Apache-2.0
#include "cli/wait_watch.hpp"

#include <poll.h>

#include <array>
#include <utility>

namespace turnstile::cli {
wait_watch::wait_watch(client& servers, const forwarded_signals& signals, show_place show)
    : servers_{servers}, signals_{signals}, show_{std::move(show)}, thread_{[this] { watch(); }} {}

void wait_watch::wake() noexcept {
    wake_.set();
}

void wait_watch::note_place(std::size_t ahead) {
    const std::scoped_lock lock{mutex_};
    place_ = ahead;
    wake();
}

int wait_watch::finish() {
    if (!thread_.joinable()) return signal_;
    finished_ = true;
    wake();
    thread_.join();
    // A signal that arrived together with the grant also prevents the command's start.
    if (signal_ == 0) take_signals();
    return signal_;
}

void wait_watch::watch() {
    while (!finished_ && signal_ == 0) {
        std::array<pollfd, 2> watched{
            {{signals_.descriptor(), POLLIN, 0}, {wake_.fd(), POLLIN, 0}}};
        if (::poll(watched.data(), watched.size(), -1) < 0) continue;
        if (watched[0].revents != 0) take_signals();
        wake_.clear();
        if (!finished_ && signal_ == 0) take_place();
    }
}

void wait_watch::take_signals() {
    // Drops the signals that do not end the wait, because there is no command yet to receive them.
    for (int signal = signals_.next(); signal != 0; signal = signals_.next())
        if (forwarded_signals::ends_wait(signal)) signal_ = signal;
    if (signal_ == 0) return;
    stop_.request_stop();
    servers_.close();
}

void wait_watch::take_place() {
    std::unique_lock lock{mutex_};
    const auto place = std::exchange(place_, std::nullopt);
    lock.unlock();
    if (place && show_) show_(*place);
}

}  // namespace turnstile::cli
