// SPDX-License-Identifier: Apache-2.0
// Shows for several session timeouts to which of three ZooKeeper servers clients connect, and whether the clients get
// and keep locks.
//
//     placement TICK told|assumed     TICK: tickTime in milliseconds; told: the servers answer the command `conf`;
//                                     assumed: they do not
//
// For each timeout S and each server, some clients connect to this server first. Each client is idle for S, requests a
// lock once, and holds it. After five times the longest S the program kills the leader. Then the program prints rows of
// docs/reference/verification.md.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/tcp_proxy.hpp"
#include "turnstile/turnstile.hpp"

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using turnstile::testing::direction;
using turnstile::testing::ensemble;
using turnstile::testing::frame;
using turnstile::testing::frame_kind;
using turnstile::testing::tcp_proxy;
using turnstile::testing::verdict;

constexpr std::array k_timeouts{4s, 6s, 10s, 15s, 20s, 30s};
constexpr std::size_t k_servers = 3;
constexpr std::size_t k_each = 2;  // number of clients that reach each server first

// Proxies in front of the servers. After first_at(i), the next session begins at server i: the other servers' proxies
// cut off each handshake until server i has answered a handshake.
class front {
public:
    explicit front(const ensemble& servers) {
        for (std::size_t i = 0; i != k_servers; ++i) {
            proxies_.push_back(std::make_unique<tcp_proxy>(servers.connect_string(i)));
            proxies_[i]->filter(direction::to_server, [this, i](frame& f) {
                const auto only = only_.load();
                const bool elsewhere =
                    f.kind() == frame_kind::handshake && only != k_servers && only != i;
                return elsewhere ? verdict::cut_connection : verdict::forward;
            });
            proxies_[i]->filter(direction::to_client, [this](frame& f) {
                if (f.kind() == frame_kind::handshake) only_ = k_servers;
                return verdict::forward;
            });
        }
    }
    void first_at(std::size_t i) { only_ = i; }
    [[nodiscard]] std::string connect_string() const {
        std::string all;
        for (const auto& each : proxies_) all += (all.empty() ? "" : ",") + each->address();
        return all;
    }

private:
    std::atomic<std::size_t> only_{k_servers};
    std::vector<std::unique_ptr<tcp_proxy>> proxies_;
};

struct participant {
    std::chrono::seconds timeout{};
    std::unique_ptr<turnstile::client> own;
    std::optional<turnstile::mutex> lock;
    turnstile::guard hold{};
    milliseconds waited{};
    bool too_short = false;
    std::thread asks{};
};

struct row {
    std::size_t all = 0;
    std::size_t granted = 0;
    std::size_t too_short = 0;
    std::size_t kept = 0;
    std::size_t kept_at_the_end = 0;
    std::size_t led = 0;
    std::size_t led_at_the_end = 0;
    milliseconds longest_wait{};
};

void ask_once(participant& seat) {
    std::this_thread::sleep_for(seat.timeout);
    const auto asked = std::chrono::steady_clock::now();
    auto hold = seat.lock->acquire({.timeout = 2 * seat.timeout});
    seat.waited = std::chrono::ceil<milliseconds>(std::chrono::steady_clock::now() - asked);
    if (hold) {
        seat.hold = std::move(*hold);
    } else {
        seat.too_short = hold.error() == turnstile::errc::lease_too_short;
        std::cerr << seat.timeout.count() << " s: " << hold.error().message() << '\n';
    }
}

std::deque<participant> begin(front& before) {
    std::deque<participant> all;
    for (const auto timeout : k_timeouts) {
        for (std::size_t i = 0; i != k_servers * k_each; ++i) {
            turnstile::client_options options;
            options.session_timeout = timeout;
            before.first_at(i % k_servers);
            auto& seat = all.emplace_back();
            seat.timeout = timeout;
            seat.own = std::make_unique<turnstile::client>(before.connect_string(), options);
            if (!seat.own->wait_connected(30s)) throw std::runtime_error{"not connected"};
            seat.lock.emplace(*seat.own, fmt::format("/placement/{}-{}", timeout.count(), i));
        }
    }
    return all;
}

bool leads(const participant& seat) {
    return seat.own->session().role == turnstile::server_role::leader;
}

void print(const std::vector<row>& rows, milliseconds tick, bool told) {
    for (std::size_t i = 0; i != k_timeouts.size(); ++i) {
        const auto& r = rows[i];
        fmt::print("| {} s | {} | {} s | {} of {} | {} ms | {} | {} of {} | {} of {} | {}, {} |\n",
                   static_cast<double>(tick.count()) / 1000, told ? "told" : "assumed",
                   k_timeouts[i].count(), r.granted, r.all, r.longest_wait.count(), r.too_short,
                   r.kept, r.all, r.kept_at_the_end, r.all, r.led, r.led_at_the_end);
    }
}

int run(milliseconds tick, bool told) {
    turnstile::testing::ensemble_options options{.count = k_servers};
    options.tick_time = tick;
    options.init_limit = 10;
    options.sync_limit = 5;
    options.config_lines = {std::string{"4lw.commands.whitelist=srvr"} + (told ? ",conf" : "")};
    ensemble servers{options};
    servers.wait_until_serving();
    front before{servers};
    auto all = begin(before);
    for (auto& seat : all) seat.asks = std::thread{[&seat] { ask_once(seat); }};
    for (auto& seat : all) seat.asks.join();
    std::this_thread::sleep_for(5 * k_timeouts.back());

    std::vector<row> rows(k_timeouts.size());
    const auto row_of = [&](std::size_t i) -> row& { return rows[i / (k_servers * k_each)]; };
    for (std::size_t i = 0; i != all.size(); ++i) {
        auto& r = row_of(i);
        ++r.all;
        r.granted += all[i].hold ? 1U : 0U;
        r.too_short += all[i].too_short ? 1U : 0U;
        r.kept += all[i].hold && all[i].hold.valid() ? 1U : 0U;
        r.led += leads(all[i]) ? 1U : 0U;
        r.longest_wait = std::max(r.longest_wait, all[i].waited);
    }
    servers.kill(*servers.leader());
    std::this_thread::sleep_for(2 * k_timeouts.back());
    for (std::size_t i = 0; i != all.size(); ++i) {
        auto& r = row_of(i);
        r.kept_at_the_end += all[i].hold && all[i].hold.valid() ? 1U : 0U;
        r.led_at_the_end += leads(all[i]) ? 1U : 0U;
    }
    print(rows, tick, told);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    return run(milliseconds{std::stol(argv[1])}, std::string{argv[2]} == "told");
}
