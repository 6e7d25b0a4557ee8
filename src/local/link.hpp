// SPDX-License-Identifier: Apache-2.0
// link: one session of the in-memory back end. A link does the work of a ZooKeeper client's handle. It knows whether
// the session is connected, sets the watches again after a reconnect, and answers the pending requests when the
// connection breaks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "core/seam/coordinator.hpp"
#include "local/chroot.hpp"
#include "local/client_watches.hpp"
#include "local/tree.hpp"

namespace turnstile::local {

// The state of a connection. The client does not notice that its connection stalls. When a stalled connection breaks,
// the requests that were sent since the stall are answered `unknown`.
enum class traffic {
    flows,
    stalls_before_server,  // requests are lost
    stalls_after_server,   // requests are executed; replies and events are lost
    throttled,             // the server discards each request, and answers `throttled`
};

// Thread safety: `id` and `mute` from any thread, all other members only on the tree's thread.
class link {
public:
    link(core::session_settings settings, core::session_sink& sink, chroot root, std::string name);

    // Ends all deliveries to the receiver of the session's events (session_sink), but does not wait for a delivery in
    // progress.
    void mute() noexcept { outlet_.close(true); }
    [[nodiscard]] session_id id() const noexcept { return id_.load(); }
    [[nodiscard]] bool attached() const noexcept { return attached_; }
    [[nodiscard]] bool dead() const noexcept { return dead_; }

    // Connects the session. The first call also opens it.
    void attach(tree& servers);
    void detach(tree& servers);
    // Reports to the receiver of the session's events that the session has expired. Call `detach` first.
    void expire();

    // The steps of a request. `accept` returns true if the tree must execute the request, and adds the chroot to its
    // paths; otherwise `accept` answers the request itself, or drops it. `hear` delivers an event that the request has
    // fired. At last, `answer` delivers the reply.
    [[nodiscard]] bool accept(core::request& request, core::time_point sent);
    void answer(const core::request& request, core::time_point sent, core::reply&& answer,
                std::int64_t zxid);
    void hear(const fired_watch& event);
    void forget_watches(tree& servers, const std::string& path);

    void set_traffic(traffic t) noexcept { traffic_ = t; }
    // After `requests` further requests, the connection stalls: later requests do not reach the server.
    void stall_after(std::size_t requests) noexcept { until_stall_ = requests; }

private:
    void reply(core::reply&& r, core::ticket id, core::time_point sent);

    const core::session_settings settings_;
    core::event_outlet outlet_;
    const chroot root_;
    const std::string name_;
    std::atomic<session_id> id_{0};

    bool attached_ = false;
    bool dead_ = false;
    traffic traffic_ = traffic::flows;
    std::optional<std::size_t> until_stall_;
    std::uint64_t connection_ = 0;
    std::int64_t seen_zxid_ = 0;  // the zxid of the latest answer
    client_watches watches_;
    struct open_request {
        core::ticket id{};
        core::time_point sent{};
    };
    std::deque<open_request> unanswered_;  // during a stall
};

}  // namespace turnstile::local
