// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/diagnosis.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "turnstile/testing/loopback_port.hpp"

namespace turnstile::zookeeper {
namespace {

using namespace std::chrono_literals;

std::string diagnosis(const std::string& servers) {
    return diagnose(parse_connect_string(servers).value(), 200ms, 0).text;
}

// A port whose connections the kernel accepts and no program answers.
class silent_server {
public:
    silent_server() : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port_.number());
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(::listen(socket_, 8), 0);
    }
    ~silent_server() { ::close(socket_); }
    silent_server(const silent_server&) = delete;
    silent_server& operator=(const silent_server&) = delete;
    [[nodiscard]] std::string address() const { return port_.address(); }

private:
    testing::loopback_port port_;
    int socket_;
};

TEST(diagnosis, of_a_port_where_no_server_is) {
    const testing::loopback_port port;
    EXPECT_EQ(diagnosis(port.address()), port.address() + ": Connection refused");
}

TEST(diagnosis, of_a_name_that_stands_for_nothing) {
    EXPECT_EQ(diagnosis("turnstile.invalid:2181"), "turnstile.invalid: cannot be resolved");
}

TEST(diagnosis, of_a_server_that_takes_connections_and_tells_nothing) {
    const silent_server server;
    EXPECT_EQ(diagnosis(server.address()),
              server.address() +
                  ": accepts connections, but gives no session and reports no role: too "
                  "many connections from this address (maxClientCnxns), a port with TLS (use "
                  "zookeepers://), or no ZooKeeper server");
}

TEST(diagnosis, has_a_part_for_each_server) {
    const testing::loopback_port first;
    const testing::loopback_port second;
    EXPECT_EQ(
        diagnosis(first.address() + "," + second.address()),
        first.address() + ": Connection refused; " + second.address() + ": Connection refused");
}

}  // namespace
}  // namespace turnstile::zookeeper
