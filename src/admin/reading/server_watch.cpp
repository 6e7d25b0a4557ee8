// SPDX-License-Identifier: Apache-2.0
#include "admin/reading/server_watch.hpp"

#include <chrono>
#include <utility>

#include "admin/reading/survey_plan.hpp"

namespace turnstile::admin {
namespace {

constexpr std::chrono::seconds k_between{5};
constexpr std::chrono::seconds k_between_unwatched{60};
constexpr std::chrono::milliseconds k_longest_answer{2'000};

// Counts the commands of a check: `srvr` to each server, and `conf` to each server that answered.
std::uint64_t words_for(const std::vector<server_health>& all) {
    std::uint64_t words = all.size();
    for (const auto& each : all) words += each.round_trip.count() != 0 ? 1U : 0U;
    return words;
}

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
        auto found = health_of_servers(connect_string_, k_longest_answer);
        {
            const std::lock_guard lock{mutex_};
            if (found) words_ += words_for(*found);
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

std::uint64_t server_watch::words() const {
    const std::lock_guard lock{mutex_};
    return words_;
}

std::vector<server_health> server_watch::look() {
    const std::lock_guard lock{mutex_};
    const auto now = boottime_clock::now();
    if (now - std::exchange(last_look_, now) >= k_attention) changed_.notify_all();
    return health_;
}

}  // namespace turnstile::admin
