// SPDX-License-Identifier: Apache-2.0
// thread_crew: a thread for each connection, started when it is needed and kept for the next one.
//
// cpp-httplib hands accepted connections to it. It has more threads than connections are admitted: the others refuse.
//
// Thread safety: enqueue() and shutdown() from one thread.
#pragma once

#include <httplib.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace turnstile::admin {

class thread_crew : public httplib::TaskQueue {
public:
    explicit thread_crew(std::size_t most) noexcept : most_{most} {}
    ~thread_crew() override { shutdown(); }

    void enqueue(std::function<void()> work) override;
    // Waits for all work.
    void shutdown() override;

private:
    void run();

    const std::size_t most_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> waiting_;
    std::size_t idle_ = 0;
    bool over_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace turnstile::admin
