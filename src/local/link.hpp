// SPDX-License-Identifier: Apache-2.0
// link: one session of the in-memory back end, on the side of the tree's thread.
//
// It does the work of the ZooKeeper client's handle: it knows whether there is a connection, sets watches again on a
// new one, and answers the requests that a broken connection leaves open.
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

// The traffic on a connection. A client notices a stalled connection only when the connection breaks; then its requests
// since the stall are answered `unknown`. A server that throttles answers at once.
enum class traffic {
    flows,
    stalls_before_server,  // requests vanish
    stalls_after_server,   // requests are carried out, answers and events vanish
    throttled,             // the server throws requests away, and says so
};

// Thread safety: `id` and `mute` from any thread, the rest on the tree's thread alone.
class link {
public:
    link(core::session_settings settings, core::session_sink& sink, chroot root, std::string name);

    // After this call nothing more is delivered. The call does not wait for a delivery in progress.
    void mute() noexcept { muted_.store(true); }
    [[nodiscard]] session_id id() const noexcept { return id_.load(); }
    [[nodiscard]] bool attached() const noexcept { return attached_; }
    [[nodiscard]] bool dead() const noexcept { return dead_; }

    // The session gets a connection; the first connection starts the session.
    void attach(tree& servers);
    void detach(tree& servers);
    // Reports the servers' word that the session has ended. Call `detach` first.
    void expire();

    // The steps of a request: if it is accepted, its paths become the servers' paths and the tree carries it out.
    // Then all sessions get the watches that fired, and then it is answered.
    [[nodiscard]] bool accept(core::request& request, core::time_point sent);
    void answer(const core::request& request, core::time_point sent, core::reply&& answer,
                std::int64_t zxid);
    void hear(const fired_watch& event);
    void forget_watches(tree& servers, const std::string& path);

    void set_traffic(traffic t) noexcept { traffic_ = t; }
    // Makes the connection stall before the server after that many further requests.
    void stall_after(std::size_t requests) noexcept { until_stall_ = requests; }

private:
    void deliver(core::coordinator_event&& event) noexcept;
    void reply(core::reply&& r, core::ticket id, core::time_point sent);

    const core::session_settings settings_;
    core::session_sink& sink_;
    const chroot root_;
    const std::string name_;
    std::atomic<session_id> id_{0};
    std::atomic<bool> muted_{false};

    bool attached_ = false;
    bool dead_ = false;
    traffic traffic_ = traffic::flows;
    std::optional<std::size_t> until_stall_;
    std::uint64_t connection_ = 0;
    std::int64_t seen_zxid_ = 0;  // from the latest answer
    client_watches watches_;
    struct open_request {
        core::ticket id{};
        core::time_point sent{};
    };
    std::deque<open_request> unanswered_;  // while the connection stalls
};

}  // namespace turnstile::local
