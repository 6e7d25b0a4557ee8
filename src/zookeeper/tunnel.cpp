// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/tunnel.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "base/random.hpp"
#include "base/thread_name.hpp"
#include "support/signals.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/packets.hpp"
#include "zookeeper/raw_session.hpp"
#include "zookeeper/tunnel_relay.hpp"

namespace turnstile::zookeeper {
namespace {

constexpr int k_backlog = 16;

[[noreturn]] void throw_system(const char* call) {
    throw std::system_error{errno, std::generic_category(), call};
}

struct local_listener {
    support::descriptor socket;
    std::uint16_t port;
};

local_listener listen_at_loopback() {
    support::descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    auto* const at = reinterpret_cast<sockaddr*>(&address);
    socklen_t length = sizeof address;
    if (!socket.open() || ::bind(socket.get(), at, length) != 0 ||
        ::listen(socket.get(), k_backlog) != 0 || ::getsockname(socket.get(), at, &length) != 0)
        throw_system("the tunnel to a server");
    return {std::move(socket), ::ntohs(address.sin_port)};
}

bool has_hung_up(int socket) noexcept {
    pollfd end{socket, POLLRDHUP, 0};
    return ::poll(&end, 1, 0) > 0;
}

}  // namespace

tunnel::tunnel(ensemble_address servers, core::duration limit, failure_report report)
    : servers_{std::move(servers)}, limit_{limit}, report_{std::move(report)} {
    const support::block_signals blocked;
    thread_ = std::thread{[this] {
        base::name_this_thread("turnstile-tls");
        base::finish_or_end("the tunnel to a server", [this] { run(); });
    }};
}

tunnel::~tunnel() {
    stop();
}

std::string tunnel::local_of(const std::string& host) {
    const base::lock_guard lock{mutex_};
    const auto known = std::find_if(entrances_.begin(), entrances_.end(),
                                    [&host](const auto& each) { return each.second.host == host; });
    auto port = known == entrances_.end() ? std::uint16_t{0} : known->first;
    if (port == 0) {
        auto fresh = listen_at_loopback();
        port = fresh.port;
        entrances_.emplace(port, entrance{host, std::move(fresh.socket)});
        changed_.set();
    }
    return fmt::format("127.0.0.1:{}", port);
}

socket_address tunnel::server_at(const socket_address& local) const {
    if (local.length == 0 || local.storage.ss_family != AF_INET) return {};
    sockaddr_in address{};
    std::memcpy(&address, &local.storage, sizeof address);
    const base::lock_guard lock{mutex_};
    const auto known = entrances_.find(::ntohs(address.sin_port));
    return known == entrances_.end() ? socket_address{} : known->second.server;
}

void tunnel::stop() noexcept {
    {
        const base::lock_guard lock{mutex_};
        stopped_ = true;
    }
    changed_.set();
    if (thread_.joinable()) thread_.join();
}

bool tunnel::is_stopped() const {
    const base::lock_guard lock{mutex_};
    return stopped_;
}

std::vector<std::pair<std::uint16_t, int>> tunnel::listeners() const {
    std::vector<std::pair<std::uint16_t, int>> all;
    const base::lock_guard lock{mutex_};
    for (const auto& [port, each] : entrances_) all.emplace_back(port, each.listener.get());
    return all;
}

void tunnel::run() {
    while (!is_stopped()) turn();
    if (relay_) relay_->end();
}

void tunnel::turn() {
    std::vector<pollfd> wishes{{changed_.fd(), POLLIN, 0}};
    const auto ports = listeners();
    for (const auto& [port, listener] : ports) wishes.push_back({listener, POLLIN, 0});
    wishes.push_back({begun_ ? begun_->socket.get() : -1, POLLIN, 0});
    if (relay_)
        for (const auto& wish : relay_->wishes()) wishes.push_back(wish);
    if (::poll(wishes.data(), wishes.size(), -1) < 0) return;
    changed_.clear();
    if (relay_ && !relay_->move()) {
        if (const auto why = relay_->reason(); !why.empty()) fail(why);
        relay_.reset();
    }
    if (wishes[ports.size() + 1].revents != 0) read_frame();
    for (std::size_t i = 0; i != ports.size(); ++i)
        if (wishes[i + 1].revents != 0) accept_at(ports[i].first);
}

void tunnel::accept_at(std::uint16_t port) {
    int listener = -1;
    {
        const base::lock_guard lock{mutex_};
        listener = entrances_.at(port).listener.get();
    }
    support::descriptor socket{::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (!socket.open()) return;
    if (!is_own_connection(socket.get())) {
        // The check also fails if the C client has closed its connection in the meantime. A warning would be wrong.
        if (!has_hung_up(socket.get()) && !std::exchange(met_stranger_, true))
            log::write(log_level::warning,
                       "another program connected to the tunnel to {}; the client closes such "
                       "connections",
                       to_string(servers_));
        return;
    }
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    begun_ = {std::move(socket), port, {}};
}

// Reads bytes of the first frame. When the frame is whole, forwards the connection. Drops a connection that the C
// client has closed, or whose first frame is no request to attach.
void tunnel::read_frame() {
    std::array<char, k_longest_attach> room{};
    std::string& frame = begun_->frame;
    const auto wanted = attach_length(frame);
    if (wanted > room.size()) return begun_.reset();
    const auto n = ::recv(begun_->socket.get(), room.data(), wanted - frame.size(), 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) return begun_.reset();
    frame.append(room.data(), static_cast<std::size_t>(n));
    if (frame.size() == attach_length(frame)) carry(*std::exchange(begun_, std::nullopt));
}

std::vector<socket_address> tunnel::addresses_of(const std::string& host) const {
    std::vector<socket_address> found;
    for (const auto& server : servers_.servers) {
        auto all = resolve(server);
        const bool named = hosts_of({{server}, {}}, address_form::for_c_client) == host;
        for (auto& address : all)
            if (named || to_string(address, address_form::for_c_client) == host)
                found.push_back(std::move(address));
        if (named) break;
    }
    auto chance = base::random::from_system();
    std::shuffle(found.begin(), found.end(), chance);
    return found;
}

namespace {

// Authenticates the client by SASL. The C client sends no request before it has the answer to its attach. So the tunnel
// finishes the SASL exchange before it passes that answer to the C client: during the exchange no other request is in
// progress.
bool log_in(const socket_address& server, byte_stream& link, std::string& inward,
            std::string& refusal) {
    if (!tls::is_enabled(server.security->sasl)) return true;
    raw_session raw{link, &server};
    if (!raw.finish_attach()) {
        refusal = raw.reason();
        return false;
    }
    inward = framed(raw.attach_frame());
    return true;
}

}  // namespace

// Tries the addresses of the server. If the C client closes its connection because it has waited long enough, the
// attempt ends.
void tunnel::carry(begun_connection&& from) {
    relay_.reset();
    std::string host;
    {
        const base::lock_guard lock{mutex_};
        host = entrances_.at(from.port).host;
    }
    const auto deadline = boottime_clock::now() + limit_;
    std::string why = host + ": the server's name cannot be resolved";
    for (const auto& server : addresses_of(host)) {
        auto link = std::make_unique<tls_stream>(server, deadline, from.socket.get());
        std::string inward;
        std::string refusal;
        if (link->secured() != nullptr && link->write(from.frame) &&
            log_in(server, *link, inward, refusal)) {
            {
                const base::lock_guard lock{mutex_};
                entrances_.at(from.port).server = server;
            }
            last_failure_.clear();
            relay_ = std::make_unique<tunnel_relay>(std::move(from.socket), std::move(link), host,
                                                    std::move(inward));
            return;
        }
        why = to_string(server, address_form::for_people) + ": " +
              (refusal.empty() ? link->reason() : refusal);
        pollfd hung_up{from.socket.get(), POLLIN, 0};
        if (::poll(&hung_up, 1, 0) > 0) break;
    }
    fail(why);
}

void tunnel::fail(const std::string& why) {
    if (std::exchange(last_failure_, why) != why)
        log::write(log_level::info, "the tunnel to {}", why);
    report_(why);
}

}  // namespace turnstile::zookeeper
