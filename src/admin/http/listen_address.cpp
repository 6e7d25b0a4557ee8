// SPDX-License-Identifier: Apache-2.0
#include "admin/http/listen_address.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

namespace turnstile::admin {
namespace {

using address_bytes = std::array<unsigned char, 16>;

bool is_address(int family, const std::string& host, address_bytes& bytes) {
    return ::inet_pton(family, host.c_str(), bytes.data()) == 1;
}

}  // namespace

listen_address parse_listen_address(std::string_view text) {
    const std::runtime_error failure{std::string{text} +
                                     ": expected a numeric address and a port to listen on, such "
                                     "as 127.0.0.1:8088 or [::1]:8088"};
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) throw failure;
    auto host = text.substr(0, colon);
    const bool bracketed = host.starts_with('[') && host.ends_with(']');
    if (bracketed) host = host.substr(1, host.size() - 2);
    listen_address address{std::string{host}, 0};
    address_bytes bytes{};
    if (!is_address(bracketed ? AF_INET6 : AF_INET, address.host, bytes)) throw failure;
    const auto digits = text.substr(colon + 1);
    const auto* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, address.port);
    if (digits.empty() || read.ec != std::errc{} || read.ptr != end) throw failure;
    return address;
}

bool is_loopback(const listen_address& address) {
    address_bytes bytes{};
    if (is_address(AF_INET, address.host, bytes)) return bytes[0] == 127;
    constexpr address_bytes k_loopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    return is_address(AF_INET6, address.host, bytes) && bytes == k_loopback;
}

std::string to_string(const listen_address& address) {
    const bool six = address.host.find(':') != std::string::npos;
    return (six ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

std::string peer_key(const std::string& address) {
    constexpr std::size_t k_prefix = 8;
    const auto plain = address.substr(0, address.find('%'));  // without the interface
    in6_addr six{};
    if (::inet_pton(AF_INET6, plain.c_str(), &six) != 1) return address;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (IN6_IS_ADDR_V4MAPPED(&six))
        return ::inet_ntop(AF_INET, &six.s6_addr[12], text.data(), text.size());
    std::fill(std::begin(six.s6_addr) + k_prefix, std::end(six.s6_addr), std::uint8_t{0});
    return std::string{::inet_ntop(AF_INET6, &six, text.data(), text.size())} + "/64";
}

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
