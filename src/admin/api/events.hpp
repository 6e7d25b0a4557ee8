// SPDX-License-Identifier: Apache-2.0
// event_stream: sends server-sent events to one browser: a new snapshot, a change of a lock, and whether the snapshot
// has become stale or fresh.
//
// Thread safety: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "admin/api/site.hpp"
#include "admin/http/response.hpp"

namespace turnstile::admin {

class event_stream : public http_stream {
public:
    // When the user's sign-in has ended, `stays` returns false, and the stream ends. Without a `lock`, the stream
    // covers all locks.
    event_stream(site& at, std::optional<lock_key> lock, std::function<bool()> stays);

    [[nodiscard]] std::optional<std::string> next() override;

private:
    [[nodiscard]] std::string events(const view& seen);
    [[nodiscard]] std::string changed(const view& seen);

    site& at_;
    const std::optional<lock_key> lock_;
    const std::function<bool()> stays_;
    bool begun_ = false;
    std::uint64_t change_ = 0;
    std::optional<bool> stale_;
    shared_snapshot told_;
    boottime_clock::time_point last_;
};

}  // namespace turnstile::admin
