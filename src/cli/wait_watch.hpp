// SPDX-License-Identifier: Apache-2.0
// wait_watch: while `run` waits for its lock, lets a signal end the wait and shows the progress on a terminal.
//
//     wait_watch waiting{servers, signals, show};
//     how.stop = waiting.stop();
//     auto hold = lock.acquire(how);
//     if (const int signal = waiting.finish()) ...      // asked to stop: start nothing
//
// Thread safety: note_place() from any thread; all others from one thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "cli/forwarded_signals.hpp"
#include "support/wake_up.hpp"
#include "turnstile/client.hpp"

namespace turnstile::cli {

class wait_watch {
public:
    // Shows the position in the queue. `ahead`: the number of contenders before this contender. The thread of
    // wait_watch calls this function.
    using show_place = std::function<void(std::size_t ahead)>;

    // Throws std::system_error.
    wait_watch(client& servers, const forwarded_signals& signals, show_place show);
    ~wait_watch() { finish(); }
    wait_watch(const wait_watch&) = delete;
    wait_watch& operator=(const wait_watch&) = delete;

    // A signal that ends the wait triggers this token. wait_watch then also closes the client.
    [[nodiscard]] std::stop_token stop() const noexcept { return stop_.get_token(); }
    void note_place(std::size_t ahead);

    // Ends the thread of wait_watch. Returns the signal that ended the wait for the lock, or 0. Later signals stay
    // pending.
    int finish();

private:
    void watch();
    void take_signals();
    void take_place();
    void wake() noexcept;

    client& servers_;
    const forwarded_signals& signals_;
    const show_place show_;
    support::wake_up wake_;
    std::stop_source stop_;
    std::mutex mutex_;
    std::optional<std::size_t> place_;  // guarded by mutex_
    std::atomic<bool> finished_{false};
    int signal_ = 0;  // belongs to the watch's thread until that thread has ended
    std::thread thread_;
};

}  // namespace turnstile::cli
