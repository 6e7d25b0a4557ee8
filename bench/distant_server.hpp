// SPDX-License-Identifier: Apache-2.0
// Starts a server behind a proxy that delays each message, for benchmarks of distant servers.
#pragma once

#include <charconv>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/mariadb_server.hpp"
#include "turnstile/testing/postgres_server.hpp"
#include "turnstile/testing/redis_server.hpp"
#include "turnstile/testing/tcp_proxy.hpp"

namespace turnstile::bench {

// A server, a proxy in front of the server, and a connect string with the proxy's address.
struct distant_server {
    std::shared_ptr<void> server;
    std::unique_ptr<testing::tcp_proxy> proxy;
    std::string connect_string;
};

template <class Server>
distant_server through_proxy(std::shared_ptr<Server> server, const std::string& before,
                             const std::string& behind) {
    server->start();
    auto proxy = std::make_unique<testing::tcp_proxy>("127.0.0.1:" + std::to_string(server->port()),
                                                      testing::traffic::bytes);
    auto address = proxy->address();
    return {std::move(server), std::move(proxy), before + address + behind};
}

inline distant_server start(const std::string& kind) {
    if (kind == "redis")
        return through_proxy(std::make_shared<testing::redis_server>(), "redis://", "");
    if (kind == "postgresql")
        return through_proxy(std::make_shared<testing::postgres_server>(), "postgresql://postgres@",
                             "/postgres?sslmode=disable&gssencmode=disable");
    if (kind == "mariadb")
        return through_proxy(std::make_shared<testing::mariadb_server>(), "mysql://root@",
                             "/turnstile");
    if (kind != "zookeeper") throw std::invalid_argument{"'" + kind + "' is no kind of server"};
    auto server = std::make_shared<testing::ensemble>();
    auto proxy = std::make_unique<testing::tcp_proxy>(server->connect_string(0));
    auto address = proxy->address();
    return {std::move(server), std::move(proxy), std::move(address)};
}

// Starts a server of `kind`: zookeeper, redis, postgresql or mariadb. The proxy delays each message by `delay` in each
// direction.
inline distant_server start(const std::string& kind, std::chrono::milliseconds delay) {
    auto far = start(kind);
    far.proxy->delay(testing::direction::to_server, delay);
    far.proxy->delay(testing::direction::to_client, delay);
    return far;
}

// Parses a number that must be at least `least`.
inline int number_from(int least, const std::string& text) {
    int value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size() || value < least)
        throw std::invalid_argument{"'" + text + "' is no number from " + std::to_string(least) +
                                    " on"};
    return value;
}

}  // namespace turnstile::bench
