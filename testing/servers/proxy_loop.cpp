// SPDX-License-Identifier: Apache-2.0
#include "servers/proxy_loop.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "servers/tcp.hpp"
#include "servers/throw_errno.hpp"

namespace turnstile::testing::detail {

proxy_loop::proxy_loop(const std::string& server, traffic carried)
    : carried_{carried},
      epoll_{::epoll_create1(EPOLL_CLOEXEC)},
      wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (!epoll_.open() || !wake_.open()) throw_errno("epoll");
    state_.server = parse_address(server);
    watch(wake_.get(), EPOLLIN);
    listen();
    // The new thread inherits this mask and so blocks all signals. The test's own threads handle them.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        thread_ = std::thread{[this] { run(); }};
    } catch (...) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

proxy_loop::~proxy_loop() {
    call([](state& s) { s.stopping = true; });
    thread_.join();
}

void proxy_loop::call(const std::function<void(state&)>& change) {
    if (std::this_thread::get_id() == thread_.get_id()) {
        change(state_);
        changed_ = true;
        return;
    }
    std::future<void> done;
    {
        const std::lock_guard hold{mutex_};
        done = requests_.emplace_back(request{change, {}}).done.get_future();
    }
    const std::uint64_t increment = 1;
    if (::write(wake_.get(), &increment, sizeof increment) != sizeof increment)
        throw_errno("eventfd");
    done.get();
}

void proxy_loop::run() {
    std::array<epoll_event, 64> events;
    while (!state_.stopping) {
        run_requests();
        const int timeout = pump_all();
        sweep();
        adjust_listener();
        finish_requests();
        if (state_.stopping) break;
        // The loop examines all sockets each time, because they are few. So the reported events do not matter.
        const int ready = ::epoll_wait(epoll_.get(), events.data(), events.size(), timeout);
        std::uint64_t ignored = 0;
        if (ready > 0) (void)!::read(wake_.get(), &ignored, sizeof ignored);
        if (listener_.open()) accept_all();
    }
}

void proxy_loop::run_requests() {
    const std::lock_guard hold{mutex_};
    running_ = std::exchange(requests_, {});
    for (auto& pending : running_) pending.change(state_);
}

void proxy_loop::finish_requests() {
    for (auto& pending : running_) pending.done.set_value();
    running_.clear();
}

// Moves bytes on all connections. Returns the timeout for epoll in milliseconds; -1 means none.
int proxy_loop::pump_all() {
    std::optional<proxy_clock::time_point> next;
    do {
        changed_ = false;
        next.reset();
        for (auto& [number, connection] : state_.connections) {
            const auto due = connection.pump(state_.settings);
            if (due) next = next ? std::min(*next, *due) : *due;
        }
    } while (changed_);
    if (!next) return -1;
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(*next - proxy_clock::now());
    constexpr std::chrono::milliseconds k_longest{60'000};
    return static_cast<int>(std::clamp(wait, std::chrono::milliseconds{0}, k_longest).count());
}

void proxy_loop::sweep() {
    for (auto it = state_.connections.begin(); it != state_.connections.end();) {
        auto& connection = it->second;
        if (connection.over()) {
            forget(connection.client());
            forget(connection.server());
            it = state_.connections.erase(it);
        } else {
            watch(connection.client(), connection.client_interest());
            watch(connection.server(), connection.server_interest());
            ++it;
        }
    }
}

void proxy_loop::watch(int socket, std::uint32_t events) {
    // epoll reports the end of a connection even for a socket that waits for no event, and would report it again and
    // again. So this function removes the socket from epoll.
    if (events == 0) return forget(socket);
    const auto [known, fresh] = watched_.try_emplace(socket, 0U);
    if (known->second == events) return;
    epoll_event event{};
    event.events = events;
    const int operation = fresh ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    if (::epoll_ctl(epoll_.get(), operation, socket, &event) != 0) throw_errno("epoll_ctl");
    known->second = events;
}

void proxy_loop::forget(int socket) {
    if (watched_.erase(socket) == 0) return;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket, nullptr);
}

void proxy_loop::listen() {
    support::descriptor listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    const int on = 1;
    ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port_.number());
    if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener.get(), SOMAXCONN) != 0) {
        throw_errno("listen on " + port_.address());
    }
    watch(listener.get(), EPOLLIN);
    listener_ = std::move(listener);
}

void proxy_loop::adjust_listener() {
    if (state_.refusing && listener_.open()) {
        forget(listener_.get());
        listener_.reset();
    } else if (!state_.refusing && !listener_.open()) {
        listen();
    }
}

void proxy_loop::accept_all() {
    for (;;) {
        support::descriptor client{
            ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
        if (!client.open()) return;
        const int on = 1;
        ::setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        try {
            auto server = begin_connect(state_.server.first, state_.server.second);
            const auto number = ++state_.accepted;
            state_.connections.try_emplace(number, number, std::move(client), std::move(server),
                                           carried_);
        } catch (const std::exception&) {
            // The server is unreachable, so the client's connection ends.
        }
    }
}

}  // namespace turnstile::testing::detail
