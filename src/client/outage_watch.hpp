// SPDX-License-Identifier: Apache-2.0
// outage_watch: the log's lines while no server answers, so that a program that waits for a lock is not silent.
//
// An outage begins when the client's last attached session is detached, or with the client. One that lasts longer
// than `patience` is told, with what each server answers just then (core::coordinator::diagnose); again after a
// minute, and every five minutes; and when it is over.
//
// Thread safety: all members from any thread. `on_change` may be called under a session's lock.
#pragma once

#include <chrono>
#include <map>
#include <memory>

#include "base/mutex.hpp"
#include "client/client_timers.hpp"
#include "client/worker_pool.hpp"
#include "core/seam/coordinator.hpp"
#include "turnstile/session_state.hpp"

namespace turnstile::detail {

class outage_watch final : public timer_thread::client {
public:
    static constexpr std::chrono::seconds k_patience{5};

    // `timers` outlives the calls, which end when the timers stop.
    outage_watch(client_timers& timers, std::shared_ptr<worker_pool> workers,
                 std::shared_ptr<core::coordinator> servers,
                 boottime_clock::duration patience = k_patience);
    outage_watch(const outage_watch&) = delete;
    outage_watch& operator=(const outage_watch&) = delete;
    ~outage_watch() = default;

    void on_change(const session_change& step);
    void on_timer() override;

private:
    [[nodiscard]] bool answered() const REQUIRES(mutex_);
    void begin(boottime_clock::time_point now) REQUIRES(mutex_);
    void end(boottime_clock::time_point now) REQUIRES(mutex_);
    void tell(boottime_clock::time_point now) REQUIRES(mutex_);

    client_timers& timers_;
    const std::shared_ptr<worker_pool> workers_;
    const std::shared_ptr<core::coordinator> servers_;
    const boottime_clock::duration patience_;

    base::mutex mutex_;
    std::map<unsigned, session_state> states_ GUARDED_BY(mutex_);  // by session
    bool outage_ GUARDED_BY(mutex_) = false;
    boottime_clock::time_point since_ GUARDED_BY(mutex_);
    boottime_clock::time_point due_ GUARDED_BY(mutex_);  // the next line
    unsigned told_ GUARDED_BY(mutex_) = 0;               // lines, of this outage
};

}  // namespace turnstile::detail
