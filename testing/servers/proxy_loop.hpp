// SPDX-License-Identifier: Apache-2.0
// proxy_loop: the thread of a tcp_proxy, which owns all state of the proxy.
//
// Thread safety: any thread may use `call`. The proxy runs the passed functions one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "servers/proxy_connection.hpp"
#include "support/descriptor.hpp"
#include "turnstile/testing/loopback_port.hpp"

namespace turnstile::testing::detail {

class proxy_loop {
public:
    struct state {
        std::pair<std::string, std::uint16_t> server;
        proxy_settings settings;
        std::map<std::uint64_t, proxy_connection> connections;  // connections by their number
        std::uint64_t accepted = 0;
        bool refusing = false;
        bool stopping = false;
    };

    proxy_loop(const std::string& server, traffic carried);
    ~proxy_loop();
    proxy_loop(const proxy_loop&) = delete;
    proxy_loop& operator=(const proxy_loop&) = delete;

    // Runs `change` on the loop's thread, and returns when its effects have happened. On that thread itself (in a
    // filter), runs `change` at once, and its effects follow after the filter.
    void call(const std::function<void(state&)>& change);

    [[nodiscard]] const loopback_port& port() const noexcept { return port_; }

private:
    struct request {
        std::function<void(state&)> change;
        std::promise<void> done;
    };

    void run();
    [[nodiscard]] int pump_all();
    void sweep();
    void listen();
    void accept_all();
    void adjust_listener();
    void watch(int socket, std::uint32_t events);
    void forget(int socket);
    void run_requests();
    void finish_requests();

    const traffic carried_;
    const loopback_port port_;
    support::descriptor epoll_;
    support::descriptor wake_;
    // Only the loop's thread uses these members after it has started.
    support::descriptor listener_;
    // The events for which epoll watches each socket.
    std::map<int, std::uint32_t> watched_;
    state state_;
    bool changed_ =
        false;  // true: a filter changed settings, so all connections are examined again
    std::vector<request> running_;

    std::mutex mutex_;
    std::vector<request> requests_;  // guarded by mutex_
    std::thread thread_;
};

}  // namespace turnstile::testing::detail
