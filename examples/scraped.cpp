// SPDX-License-Identifier: Apache-2.0
// scraped: a service whose locks are monitored. The service answers requests for /metrics, takes a lock again and
// again, and reads its own page.
//
//     scraped                                    takes one lock in memory, and prints what the page says about the lock
//     scraped <connect string> <path> <hold ms>  prints the port of its page, and runs until it is killed
//
// packaging/monitoring has the alerts for this page. tests/metrics stops a holder, and waits until the alerts fire.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

std::string read_all(int socket, std::string_view until) {
    std::string text;
    char piece[4096];
    while (until.empty() || text.find(until) == std::string::npos) {
        const auto bytes = ::recv(socket, piece, sizeof piece, 0);
        if (bytes <= 0) break;
        text.append(piece, static_cast<std::size_t>(bytes));
    }
    return text;
}

void write_all(int socket, std::string_view text) {
    while (!text.empty()) {
        const auto bytes = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
        if (bytes <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(bytes));
    }
}

// Answers every request with the metrics, one request after the other. A real service would use its own HTTP server.
class metrics_page {
public:
    explicit metrics_page(turnstile::metrics numbers) : numbers_{std::move(numbers)} {
        auto address = loopback(0);
        socklen_t size = sizeof address;
        auto* const place = reinterpret_cast<sockaddr*>(&address);
        if (listener_ < 0 || ::bind(listener_, place, size) != 0 || ::listen(listener_, 8) != 0 ||
            ::getsockname(listener_, place, &size) != 0)
            throw std::runtime_error{"cannot open a port"};
        port_ = ntohs(address.sin_port);
        thread_ = std::thread{[this] { serve(); }};
    }
    ~metrics_page() {
        ::shutdown(listener_, SHUT_RDWR);
        thread_.join();
        ::close(listener_);
    }
    metrics_page(const metrics_page&) = delete;
    metrics_page& operator=(const metrics_page&) = delete;

    [[nodiscard]] int port() const noexcept { return port_; }

private:
    void serve() const {
        for (;;) {
            const int caller = ::accept(listener_, nullptr, nullptr);
            if (caller < 0) return;
            read_all(caller, "\r\n\r\n");
            const auto text = turnstile::prometheus_text(families_of(numbers_.snapshot()));
            write_all(caller, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: " +
                                  std::string{turnstile::k_prometheus_content_type} +
                                  "\r\nContent-Length: " + std::to_string(text.size()) +
                                  "\r\n\r\n" + text);
            ::close(caller);
        }
    }

    const turnstile::metrics numbers_;
    const int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int port_ = 0;
    std::thread thread_;
};

std::string scrape(int port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto address = loopback(port);
    std::string answer;
    if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
        write_all(socket, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
        answer = read_all(socket, {});
    }
    ::close(socket);
    return answer;
}

// Prints the line of the page that begins with this name and these labels.
void print(const std::string& page, const std::string& beginning) {
    const auto begin = page.find("\n" + beginning);
    if (begin == std::string::npos) throw std::runtime_error{"no line " + beginning};
    std::cout << page.substr(begin + 1, page.find('\n', begin + 1) - begin - 1) << '\n';
}

void show_own_page(const turnstile::metrics& numbers, const metrics_page& page) {
    turnstile::client servers{"local:", {.metrics = numbers}};
    const turnstile::path_template orders{"/orders/{}"};
    for (const auto* name : {"17", "18"})
        turnstile::mutex{servers, orders.format(name)}.acquire().value().unlock();
    turnstile::mutex last{servers, orders.format("19")};
    const auto hold = last.acquire().value();
    const auto text = scrape(page.port());
    print(text, "turnstile_lock_granted_total{lock=\"/orders/{}\"}");
    print(text, "turnstile_lock_held{lock=\"/orders/{}\"}");
    print(text, "turnstile_lock_hold_seconds_count{lock=\"/orders/{}\"}");
    print(text, "turnstile_lock_lost_total{lock=\"/orders/{}\",reason=\"session_lost\"}");
    print(text, "turnstile_sessions{state=\"connected\"}");
}

}  // namespace

int main(int argc, char** argv) {
    const auto numbers =
        turnstile::metrics::start({.templates = {turnstile::path_template{"/orders/{}"}}});
    const metrics_page page{numbers};
    if (argc < 4) {
        show_own_page(numbers, page);
        return 0;
    }
    turnstile::client servers{argv[1], {.session_timeout = 2s, .metrics = numbers}};
    turnstile::mutex lock{servers, argv[2]};
    std::cout << page.port() << std::endl;
    for (;;) {
        const auto hold = lock.acquire();
        if (hold) std::this_thread::sleep_for(std::chrono::milliseconds{std::atol(argv[3])});
    }
}
