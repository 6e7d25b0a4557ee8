// SPDX-License-Identifier: Apache-2.0
// live_coordinator: opens the sessions of ZooKeeper connect strings in a deterministic run. It ignores the hosts in a
// connect string, and uses the simulated servers (live_servers.hpp). It creates the chroot if that is missing.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"
#include "core/seam/coordinator.hpp"
#include "deterministic/live_servers.hpp"
#include "local/chroot.hpp"

namespace turnstile::deterministic {

// live_session: a client's session with the live_servers. It models the C client (simulation/handle.hpp) with one
// thread instead of two. While the process that opened the session is stopped, so is this thread, and messages wait.
//
// Thread safety: as for core::coordinator_session.
class live_session final : public core::coordinator_session, private served_session {
public:
    live_session(live_servers& servers, const core::session_settings& settings,
                 core::session_sink& sink, const local::chroot& root);
    ~live_session() override;
    live_session(const live_session&) = delete;
    live_session& operator=(const live_session&) = delete;

    void submit(core::request&& request) override;
    void forget_watches(const std::string& path) override;
    void seek_leader(std::uint64_t connection) override;
    void look_for_another(const core::look_elsewhere& wanted) override;
    void leave_server(std::uint64_t connection) override;
    [[nodiscard]] core::session_identity identity() const override;
    void close() noexcept override { end(simulation::server_session::ending::orderly); }
    void abandon() noexcept override { end(simulation::server_session::ending::abandoned); }

private:
    void arrive(planned_event&& event) override;
    void crash() override;

    void run() NO_THREAD_SAFETY_ANALYSIS;
    void take_in(const planned_event& event);
    [[nodiscard]] bool give_up_after_a_stop();
    void collect();
    void deliver(core::coordinator_event&& event);
    void end(simulation::server_session::ending how) noexcept;

    live_servers& servers_;
    const core::session_settings settings_;
    core::session_sink& sink_;
    const local::chroot root_;

    // The servers' mutex guards the next members.
    client_id id_ = 0;
    std::unique_ptr<simulation::handle> handle_;
    std::deque<planned_event> arrived_;
    std::deque<core::coordinator_event> told_;
    std::int64_t session_ = 0;
    bool ended_ = false;
    base::condition_variable changed_;

    instant awake_at_{};  // when the session's thread last handled a message
    boost::thread thread_;
};

class live_coordinator final : public core::coordinator {
public:
    // Throws std::system_error with bad_connect_string.
    live_coordinator(live_servers& servers, std::string_view connect_string);

    std::unique_ptr<core::coordinator_session> open(const core::session_settings& settings,
                                                    core::session_sink& sink) override;
    [[nodiscard]] std::string_view chroot() const noexcept override { return root_.prefix(); }
    [[nodiscard]] turnstile::promises promises() const override;
    [[nodiscard]] std::string describe() const override { return text_; }
    [[nodiscard]] std::string diagnose() const override { return "the servers are simulated"; }

private:
    live_servers& servers_;
    const std::string text_;
    const local::chroot root_;
};

}  // namespace turnstile::deterministic
