// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/diagnosis.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

#include "zookeeper/addresses.hpp"
#include "zookeeper/server_role.hpp"

namespace turnstile::zookeeper {
namespace {

constexpr std::size_t k_most_servers = 16;
constexpr int k_no_descriptor = -1;

// One address of a server, to which a connection is tried.
class probe {
public:
    explicit probe(const socket_address& address)
        : address_{address},
          socket_{
              ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)} {
        const auto* to = reinterpret_cast<const sockaddr*>(&address.storage);
        if (socket_ < 0 || ::connect(socket_, to, address.length) != 0) outcome_ = errno;
    }
    ~probe() {
        if (socket_ >= 0) ::close(socket_);
    }
    probe(const probe&) = delete;
    probe& operator=(const probe&) = delete;

    [[nodiscard]] bool pending() const noexcept { return outcome_ == EINPROGRESS; }
    [[nodiscard]] int descriptor() const noexcept { return pending() ? socket_ : k_no_descriptor; }
    void finish() noexcept {
        socklen_t size = sizeof outcome_;
        if (::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &outcome_, &size) != 0) outcome_ = errno;
    }

    [[nodiscard]] std::string text(core::time_point deadline) const {
        const auto name = to_string(address_, address_form::for_people);
        if (pending()) return name + ": no answer";
        if (outcome_ != 0) return fmt::format("{}: {}", name, std::strerror(outcome_));
        return name + ": " + served(deadline);
    }

private:
    [[nodiscard]] std::string served(core::time_point deadline) const {
        const auto left = std::max(deadline - boottime_clock::now(), core::duration{});
        const auto answer = ask_server(address_, "srvr", k_no_descriptor, left);
        if (answer.find("not currently serving") != std::string::npos)
            return "is up, but its ensemble has no majority to serve with";
        if (parse_role(answer) != core::server_role::unknown)
            return "serves its ensemble, but gives no session";
        return "accepts connections, but gives no session and tells no role";
    }

    socket_address address_;
    int socket_;
    int outcome_ = 0;  // of the connect
};

void await(std::vector<std::unique_ptr<probe>>& probes, core::time_point deadline) {
    for (;;) {
        std::vector<pollfd> waited;
        for (const auto& probe : probes) waited.push_back({probe->descriptor(), POLLOUT, 0});
        const bool pending = std::any_of(probes.begin(), probes.end(),
                                         [](const auto& probe) { return probe->pending(); });
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - boottime_clock::now());
        if (!pending || left.count() <= 0) return;
        if (::poll(waited.data(), waited.size(), static_cast<int>(left.count())) < 0 &&
            errno != EINTR)
            return;
        for (std::size_t i = 0; i != probes.size(); ++i)
            if (waited[i].revents != 0) probes[i]->finish();
    }
}

}  // namespace

std::string diagnose(const connect_string& servers, core::duration limit) {
    std::vector<std::string> said;
    std::vector<std::unique_ptr<probe>> probes;
    for (const auto& server : servers.servers) {
        const auto addresses = resolve(server);
        if (addresses.empty()) said.push_back(server.host + ": cannot be resolved");
        for (const auto& address : addresses)
            if (probes.size() < k_most_servers) probes.push_back(std::make_unique<probe>(address));
    }
    const auto deadline = boottime_clock::now() + limit;
    await(probes, deadline - limit / 2);
    for (const auto& probe : probes) said.push_back(probe->text(deadline));
    std::string text;
    for (const auto& line : said) text += (text.empty() ? "" : "; ") + line;
    return text;
}

}  // namespace turnstile::zookeeper
