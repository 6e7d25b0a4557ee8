// SPDX-License-Identifier: Apache-2.0
#include "admin/http/listening_socket.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

namespace turnstile::admin {
namespace {

constexpr int k_backlog = 512;

using address_list = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

[[noreturn]] void fail(const listen_address& address, const std::string& reason) {
    throw std::runtime_error{to_string(address) +
                             ": this process cannot listen at this address: " + reason +
                             ". Another program may listen there already, or the address is not an "
                             "address of this machine"};
}

address_list addresses_of(const listen_address& address) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const auto port = std::to_string(address.port);
    const int code = ::getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found);
    if (code != 0) fail(address, ::gai_strerror(code));
    return {found, ::freeaddrinfo};
}

// Does not set SO_REUSEPORT: otherwise a second server on the port would get some of the connections.
bool listens(int socket, const addrinfo& at) {
    constexpr int k_yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &k_yes, sizeof k_yes);
    return ::bind(socket, at.ai_addr, at.ai_addrlen) == 0 && ::listen(socket, k_backlog) == 0;
}

std::optional<listen_address> end_of(const sockaddr_storage& end) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (end.ss_family == AF_INET) {
        const auto& four = reinterpret_cast<const sockaddr_in&>(end);
        ::inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
        return listen_address{text.data(), ntohs(four.sin_port)};
    }
    if (end.ss_family != AF_INET6) return std::nullopt;
    const auto& six = reinterpret_cast<const sockaddr_in6&>(end);
    if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr))
        ::inet_ntop(AF_INET, &six.sin6_addr.s6_addr[12], text.data(), text.size());
    else
        ::inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
    return listen_address{text.data(), ntohs(six.sin6_port)};
}

template <class F>
std::optional<listen_address> end_by(const F& ask, int socket) {
    sockaddr_storage end{};
    socklen_t size = sizeof end;
    if (ask(socket, reinterpret_cast<sockaddr*>(&end), &size) != 0) return std::nullopt;
    return end_of(end);
}

}  // namespace

support::descriptor open_listening_socket(listen_address& address) {
    int reason = 0;
    const auto found = addresses_of(address);
    for (const auto* at = found.get(); at != nullptr; at = at->ai_next) {
        constexpr int k_kind = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
        support::descriptor socket{::socket(at->ai_family, k_kind, 0)};
        if (socket.open() && listens(socket.get(), *at)) {
            if (const auto own = own_end(socket.get())) address.port = own->port;
            return socket;
        }
        reason = errno;
    }
    fail(address, std::strerror(reason));
}

support::descriptor accept_connection(int listening) {
    constexpr int k_yes = 1;
    support::descriptor socket{
        ::accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (socket.open()) ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &k_yes, sizeof k_yes);
    return socket;
}

std::optional<listen_address> peer_end(int connection) {
    return end_by(::getpeername, connection);
}

std::optional<listen_address> own_end(int connection) {
    return end_by(::getsockname, connection);
}

}  // namespace turnstile::admin
