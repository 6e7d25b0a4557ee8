// SPDX-License-Identifier: Apache-2.0
// older_data: the newest transaction that a coordinator's sessions have seen, and the sessions that end where all servers
// have older data: they were wiped or rolled back, and refuse for ever each session that has seen more.
//
// Thread safety: all members from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "base/mutex.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::zookeeper {

class older_data {
public:
    void saw(const core::stat& stat) noexcept {
        for (const auto zxid : {stat.czxid, stat.mzxid, stat.pzxid}) {
            auto known = newest_.load(std::memory_order_relaxed);
            while (known < zxid && !newest_.compare_exchange_weak(known, zxid)) {
            }
        }
    }
    [[nodiscard]] std::int64_t newest() const noexcept { return newest_; }

    // `give_up` ends the session, unless it is attached. It is called until `remove` has returned.
    void add(const void* session, std::function<void()> give_up) {
        const base::lock_guard lock{mutex_};
        sessions_[session] = std::move(give_up);
    }
    void remove(const void* session) {
        const base::lock_guard lock{mutex_};
        sessions_.erase(session);
    }
    // All servers have older data.
    void found() {
        newest_ = 0;  // new sessions begin with what the servers have
        const base::lock_guard lock{mutex_};
        for (const auto& [session, give_up] : sessions_) give_up();
    }

private:
    std::atomic<std::int64_t> newest_{0};
    base::mutex mutex_;
    std::map<const void*, std::function<void()>> sessions_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::zookeeper
