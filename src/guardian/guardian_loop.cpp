// SPDX-License-Identifier: Apache-2.0
#include "guardian/guardian_loop.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace turnstile::guardian {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t k_most_accepted = 64;  // in one turn

bool is_ready(int number) {
    pollfd request{number, POLLIN, 0};
    return number >= 0 && ::poll(&request, 1, 0) > 0;
}

}  // namespace

void guardian_loop::add(support::descriptor socket) {
    peer fresh{std::move(socket)};
    if (!fresh.admitted()) return;
    const auto same = std::count_if(peers_.begin(), peers_.end(), [&](const peer& each) {
        return each.process() == fresh.process();
    });
    if (static_cast<std::size_t>(same) >= k_most_of_one_process) return;
    if (peers_.size() >= k_most_peers) {
        const auto silent = std::find_if(peers_.begin(), peers_.end(),
                                         [](const peer& each) { return each.pidfd() < 0; });
        if (silent == peers_.end()) return;
        peers_.erase(silent);
    }
    peers_.push_back(std::move(fresh));
}

void guardian_loop::fill(int also) {
    polled_.clear();
    // poll() ignores negative descriptors.
    polled_.push_back({also, POLLIN, 0});
    polled_.push_back({listener_.get(), POLLIN, 0});
    for (const auto& process : peers_) {
        polled_.push_back({process.socket(), POLLIN, 0});
        polled_.push_back({process.pidfd(), POLLIN, 0});
    }
    for (const auto& end : ends_) polled_.push_back({end.socket(), end.events(), 0});
    module_ends_.fill(polled_);
}

int guardian_loop::wait_at_most(milliseconds longest) const {
    auto until = steady_clock::now() + longest;
    for (const auto& end : ends_) until = std::min(until, end.wake_at());
    const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
    return static_cast<int>(std::clamp<milliseconds::rep>(left.count(), 0, 60'000));
}

void guardian_loop::turn(int also, milliseconds longest) {
    fill(also);
    if (::poll(polled_.data(), static_cast<nfds_t>(polled_.size()), wait_at_most(longest)) < 0)
        return;
    handle_ends();
    module_ends_.reap();
    handle_peers();
    start_ends();
    module_ends_.start();
    if (guards()) module_ends_.start_ahead();
    for (const auto& scheme : module_ends_.take_failures())
        for (const auto& process : peers_) process.tell(cannot_end{scheme});
    // Further connections wait for the next call, so that many connections cannot delay the closing of sessions.
    for (std::size_t i = 0; i != k_most_accepted && accept_next(); ++i) {
    }
}

void guardian_loop::hear() {
    accept_next();
    peers_.remove_if([](peer& process) { return !process.read_all() || process.idle(); });
}

std::vector<int> guardian_loop::sockets() const {
    std::vector<int> all{listener_.get()};
    for (const auto& process : peers_) all.push_back(process.socket());
    return all;
}

std::vector<int> guardian_loop::pidfds_and_files() const {
    std::vector<int> all;
    for (const auto& process : peers_) {
        all.push_back(process.pidfd());
        for (const int file : process.kept_open()) all.push_back(file);
    }
    return all;
}

// Handles the results of poll() in the order in which fill() added the descriptors.
void guardian_loop::handle_ends() {
    const auto now = steady_clock::now();
    std::size_t place = 2 + 2 * peers_.size();
    for (auto& end : ends_) {
        if (polled_.at(place++).revents != 0) end.on_ready(now);
        end.on_time(now);
    }
    ends_.remove_if([](const session_end& end) { return end.over(); });
}

void guardian_loop::handle_peers() {
    for (auto process = peers_.begin(); process != peers_.end();) {
        // The order matters: if the process has ended before this check, all its messages can be read afterwards.
        const bool dead = is_ready(process->pidfd());
        const bool keeps_to_protocol = process->read_all();
        for (const auto& scheme : process->take_schemes())
            if (!module_ends_.prepare(scheme)) process->tell(cannot_end{scheme});
        if (dead && keeps_to_protocol) {
            const auto died = steady_clock::now();
            for (auto& session : process->take_sessions())
                waiting_.push_back({std::move(session), died});
            for (auto& session : process->take_module_sessions())
                module_ends_.add(std::move(session));
        }
        process = dead || !keeps_to_protocol || process->idle() ? peers_.erase(process)
                                                                : std::next(process);
    }
}

void guardian_loop::start_ends() {
    while (!waiting_.empty() && ends_.size() < k_most_ends) {
        auto& next = waiting_.front();
        ends_.emplace_back(std::move(next.session), next.died, steady_clock::now());
        waiting_.pop_front();
    }
}

bool guardian_loop::accept_next() {
    if (!is_ready(listener_.get())) return false;
    support::descriptor socket{
        ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (!socket.open()) return false;
    add(std::move(socket));
    return true;
}

}  // namespace turnstile::guardian
