// SPDX-License-Identifier: Apache-2.0
// server_watch: the health of each server. A thread requests it from the servers every few seconds, and less often
// while no user watches the page.
//
// Thread safety: all members from any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "turnstile/clock.hpp"
#include "turnstile/server_health.hpp"

namespace turnstile::admin {

class server_watch {
public:
    explicit server_watch(std::string connect_string);
    ~server_watch();
    server_watch(const server_watch&) = delete;
    server_watch& operator=(const server_watch&) = delete;

    // Returns the latest answers; empty before the first answer.
    [[nodiscard]] std::vector<server_health> look();
    // The number of four-letter commands sent so far.
    [[nodiscard]] std::uint64_t words() const;
    void end();

private:
    void run();
    void pause();

    const std::string connect_string_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<server_health> health_;
    std::uint64_t words_ = 0;
    boottime_clock::time_point last_look_{};
    bool over_ = false;
    std::thread thread_;
};

}  // namespace turnstile::admin
