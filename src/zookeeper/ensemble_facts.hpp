// SPDX-License-Identifier: Apache-2.0
// ensemble_facts: facts about a coordinator's servers. All sessions of that coordinator read and write these facts.
//
//     older_data   the newest transaction that a session has seen
//
// Thread safety: all members from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "base/latest_failure.hpp"
#include "base/mutex.hpp"
#include "core/seam/seam.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/server_knowledge.hpp"

namespace turnstile::zookeeper {

// The newest transaction that the sessions of a coordinator have seen. If the data of all servers are older (the
// servers were wiped or rolled back), the servers refuse for ever each session that has seen newer data. This client
// must then end these sessions.
//
// Thread safety: all members from any thread.
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

    // Adds a session. `give_up`: a function that ends this session unless the session is attached. found() may call
    // `give_up` until remove() has returned.
    void add(const void* session, std::function<void()> give_up) {
        const base::lock_guard lock{mutex_};
        sessions_[session] = std::move(give_up);
    }
    void remove(const void* session) {
        const base::lock_guard lock{mutex_};
        sessions_.erase(session);
    }
    // Called when the data of all servers are older than newest(). Ends the sessions that are not attached.
    void found() {
        newest_ = 0;  // new sessions start from the servers' data
        const base::lock_guard lock{mutex_};
        for (const auto& [session, give_up] : sessions_) give_up();
    }

private:
    std::atomic<std::int64_t> newest_{0};
    base::mutex mutex_;
    std::map<const void*, std::function<void()>> sessions_ GUARDED_BY(mutex_);
};

struct ensemble_facts {
    unresolved_hosts missing;
    known_requests requests;
    base::latest_failure failure;
    older_data older;
};

}  // namespace turnstile::zookeeper
