// SPDX-License-Identifier: Apache-2.0
#include "admin/reading/server_watch.hpp"

#include <chrono>
#include <utility>

namespace turnstile::admin {
namespace {

constexpr std::chrono::seconds k_between{5};
constexpr std::chrono::seconds k_between_unwatched{60};
constexpr std::chrono::seconds k_attention{30};
constexpr std::chrono::milliseconds k_patience{2'000};

}  // namespace

server_watch::server_watch(std::string connect_string)
    : connect_string_{std::move(connect_string)}, last_look_{boottime_clock::now()} {
    thread_ = std::thread{[this] { run(); }};
}

server_watch::~server_watch() {
    end();
    if (thread_.joinable()) thread_.join();
}

void server_watch::end() {
    const std::lock_guard lock{mutex_};
    over_ = true;
    changed_.notify_all();
}

void server_watch::run() {
    for (;;) {
        auto found = health_of_servers(connect_string_, k_patience);
        {
            const std::lock_guard lock{mutex_};
            if (over_) return;
            if (found) health_ = std::move(*found);
        }
        pause();
    }
}

void server_watch::pause() {
    const auto start = boottime_clock::now();
    std::unique_lock lock{mutex_};
    while (!over_) {
        const auto now = boottime_clock::now();
        const bool watched = now - last_look_ < k_attention;
        const auto left = start + (watched ? k_between : k_between_unwatched) - now;
        if (left.count() <= 0) return;
        changed_.wait_for(lock, left);
    }
}

std::vector<server_health> server_watch::look() {
    const std::lock_guard lock{mutex_};
    const auto now = boottime_clock::now();
    if (now - std::exchange(last_look_, now) >= k_attention) changed_.notify_all();
    return health_;
}

}  // namespace turnstile::admin
