// SPDX-License-Identifier: Apache-2.0
// metrics_impl: the implementation of turnstile::metrics: the numbers for each lock (lock_series), and the clients
// whose sessions are counted.
//
// Thread safety: all members from any thread. No other lock is taken under this lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.hpp"
#include "base/process.hpp"
#include "client/call_record.hpp"
#include "client/lock_series.hpp"
#include "turnstile/metrics.hpp"

namespace turnstile::detail {

class metrics_impl {
public:
    static constexpr std::size_t k_most_paths = 10'000;
    static constexpr std::size_t k_most_bounds = 100;

    // Throws std::system_error(bad_option).
    explicit metrics_impl(metrics_options options);

    [[nodiscard]] std::unique_ptr<call_record> begin(const std::string& path);
    // Counts a change of a session. `is_outage`: the change has ended the client's last connection.
    void on_change(const session_change& step, bool is_outage) noexcept;
    // watch() adds a client to the snapshots as long as `owner` lives. `add` adds the states of the client's sessions,
    // and the length of the client's outage.
    using addition = std::function<void(metrics_snapshot&)>;
    void watch(std::weak_ptr<const void> owner, addition add);

    [[nodiscard]] metrics_snapshot snapshot() const;
    // True in a forked child of the process that made this object. There the object's locks may be locked for ever.
    [[nodiscard]] bool forked() const noexcept { return process_.forked(); }

private:
    using series = std::shared_ptr<lock_series>;
    struct watched {
        std::weak_ptr<const void> owner;
        addition add;
    };

    [[nodiscard]] series make_series(std::string name) const;
    [[nodiscard]] series series_of(const std::string& path);

    const metrics_options options_;
    const base::process_mark process_;
    const std::vector<series> templates_;  // from options_.templates
    const series other_;
    std::atomic<std::uint64_t> calls_{0};
    std::atomic<std::uint64_t> reconnects_{0};
    std::atomic<std::uint64_t> lost_sessions_{0};
    std::atomic<std::uint64_t> outages_{0};

    mutable base::mutex mutex_;
    std::unordered_map<std::string, series> paths_ GUARDED_BY(mutex_);
    std::vector<series> in_order_ GUARDED_BY(mutex_);  // the series of paths_
    bool other_used_ GUARDED_BY(mutex_) = false;
    std::vector<watched> clients_ GUARDED_BY(mutex_);
};

// Makes the call_record, which counts the steps of a call that begins to wait for the lock on `path`. Returns null
// without metrics.
[[nodiscard]] inline std::unique_ptr<call_record> record_of(
    const std::shared_ptr<metrics_impl>& metrics, const std::string& path) {
    return metrics ? metrics->begin(path) : nullptr;
}

}  // namespace turnstile::detail
