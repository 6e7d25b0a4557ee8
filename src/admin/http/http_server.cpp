// SPDX-License-Identifier: Apache-2.0
#include "admin/http/http_server.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <string_view>
#include <utility>

#include "admin/http/connection.hpp"
#include "admin/http/limits.hpp"
#include "admin/http/thread_crew.hpp"

namespace turnstile::admin {
namespace {

constexpr std::string_view k_too_many =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\n"
    "Connection: close\r\n\r\n";

// That wait to be accepted: cpp-httplib has room for five, and others try again after a second.
constexpr int k_backlog = 128;

thread_local bool last_answer = false;

}  // namespace

http_server::http_server(std::unique_ptr<const tls_context> tls) : tls_{std::move(tls)} {
    constexpr std::size_t k_refusing = 4;
    new_task_queue = [] { return new thread_crew{k_most_connections + k_refusing}; };
    set_payload_max_length(k_largest_body);
    set_tcp_nodelay(true);
    // Without SO_REUSEPORT, which cpp-httplib sets: a second server on the port would get some of the connections.
    set_socket_options([](socket_t socket) {
        constexpr int k_yes = 1;
        ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &k_yes, sizeof k_yes);
    });
}

listen_address http_server::bind(listen_address address) {
    if (address.port == 0) {
        const int port = bind_to_any_port(address.host);
        if (port > 0) {
            ::listen(svr_sock_, k_backlog);
            address.port = static_cast<std::uint16_t>(port);
            return address;
        }
    } else if (bind_to_port(address.host, address.port)) {
        ::listen(svr_sock_, k_backlog);
        return address;
    }
    throw std::runtime_error{to_string(address) +
                             ": cannot listen there; another program may, or the address is not "
                             "this machine's"};
}

std::size_t http_server::connections() const {
    const std::lock_guard lock{mutex_};
    return open_.size();
}

bool http_server::admit(socket_t socket) {
    const std::lock_guard lock{mutex_};
    if (over_ || open_.size() >= k_most_connections) return false;
    open_.insert(socket);
    return true;
}

void http_server::dismiss(socket_t socket) {
    const std::lock_guard lock{mutex_};
    open_.erase(socket);
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
}

void http_server::end() {
    stop();
    const std::lock_guard lock{mutex_};
    over_ = true;
    for (const auto each : open_) ::shutdown(each, SHUT_RDWR);
}

void http_server::close_after_this() noexcept {
    last_answer = true;
}

void http_server::answer(socket_t socket) {
    connection link{socket};
    if (tls_ && !link.start_tls(*tls_)) return;
    for (auto left = k_most_requests_kept_alive; left != 0 && link.wait_for_request(); --left) {
        bool closed = false;
        last_answer = false;
        if (!process_request(link, left == 1, closed, nullptr) || closed || last_answer) return;
    }
}

bool http_server::process_and_close_socket(socket_t socket) {
    if (!admit(socket)) {
        if (!tls_) ::send(socket, k_too_many.data(), k_too_many.size(), MSG_NOSIGNAL);
        ::shutdown(socket, SHUT_RDWR);
        ::close(socket);
        return false;
    }
    answer(socket);
    dismiss(socket);
    return true;
}

}  // namespace turnstile::admin
