// SPDX-License-Identifier: Apache-2.0
// diagnosis: what the servers answer just now, for the error of a call that has no session. They are asked on a worker,
// since an answer may take a second (core::coordinator::diagnose).
//
//     const auto asked = diagnosis::start(workers, servers);
//     ... asked->reason_by(deadline) ...  // "Connection refused", or nothing
//
// Thread safety: all members from any thread.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/lazy_condition.hpp"
#include "base/mutex.hpp"
#include "client/worker_pool.hpp"
#include "core/seam/coordinator.hpp"

namespace turnstile::detail {

class diagnosis {
public:
    [[nodiscard]] static std::shared_ptr<diagnosis> start(
        worker_pool& workers, std::shared_ptr<core::coordinator> servers) {
        auto asked = std::make_shared<diagnosis>();
        workers.post([asked, servers = std::move(servers)] { asked->tell(servers->diagnose()); });
        return asked;
    }

    // Empty: the servers were not through by then. A Boost interruption point.
    [[nodiscard]] std::string reason_by(boottime_clock::time_point deadline) {
        base::unique_lock lock{mutex_};
        while (reason_.empty() && told_.wait_until(lock, deadline)) {
        }
        return reason_;
    }

private:
    void tell(std::string reason) {
        const base::lock_guard lock{mutex_};
        reason_ = std::move(reason);
        told_.notify_all();
    }

    base::mutex mutex_;
    base::lazy_condition told_;
    std::string reason_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
