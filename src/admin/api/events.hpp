// SPDX-License-Identifier: Apache-2.0
// event_stream: what one browser is told, as server-sent events: a new snapshot, a lock that has changed, stale, fresh.
//
// Thread safety: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "admin/api/site.hpp"

namespace turnstile::admin {

class event_stream {
public:
    // Of one lock, or of all. Throws refusal (429 too_many) beyond the limit of streams.
    event_stream(site& at, std::optional<lock_key> lock);
    ~event_stream();
    event_stream(const event_stream&) = delete;
    event_stream& operator=(const event_stream&) = delete;

    // The next part to send, empty if nothing has come within a second or so; nothing at the end of the server.
    [[nodiscard]] std::optional<std::string> next();

private:
    [[nodiscard]] std::string events(const view& seen);
    [[nodiscard]] std::string changed(const view& seen);

    site& at_;
    const std::optional<lock_key> lock_;
    bool begun_ = false;
    std::uint64_t change_ = 0;
    std::optional<bool> stale_;
    shared_snapshot told_;
    boottime_clock::time_point last_;
};

}  // namespace turnstile::admin
