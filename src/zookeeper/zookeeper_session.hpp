// SPDX-License-Identifier: Apache-2.0
// zookeeper_session: implements core::coordinator_session by a c_session, and does nothing in a child of fork().
//
// In a child the C client's threads do not exist, and its sockets belong to the parent. Closing the handle there would
// hang, and would end the parent's session. So in a child all calls do nothing, and the destructor frees nothing.
//
// The C client does not set close-on-exec on its descriptors, and its interface does not name them. A program that
// starts other programs must itself close these descriptors in the child (close_range), if the other programs must not
// inherit them.
//
// Thread safety: all members from any thread. Exception: the sink, the core's object that receives the replies and
// events, must not call `close`.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/process.hpp"
#include "core/seam/coordinator.hpp"
#include "zookeeper/c_session.hpp"

namespace turnstile::zookeeper {

class zookeeper_session final : public core::coordinator_session {
public:
    zookeeper_session(const ensemble_address& servers, const core::session_settings& settings,
                      core::session_sink& sink, std::shared_ptr<ensemble_facts> known,
                      std::shared_ptr<guardian::guardian_link> guardian);
    ~zookeeper_session() override;
    zookeeper_session(const zookeeper_session&) = delete;
    zookeeper_session& operator=(const zookeeper_session&) = delete;

    void submit(core::request&& request) override;
    void forget_watches(const std::string& path) override;
    void seek_leader(std::uint64_t connection) override;
    void look_for_another(const core::look_elsewhere& wanted) override;
    void leave_server(std::uint64_t connection) override;
    [[nodiscard]] core::session_identity identity() const override;
    [[nodiscard]] std::optional<core::clock_reading> servers_clock() const override;
    void close() noexcept override;

private:
    [[nodiscard]] bool forked() const noexcept { return process_.forked(); }

    const base::process_mark process_;
    std::atomic<bool> closed_{false};
    const std::shared_ptr<ensemble_facts> known_;
    std::unique_ptr<c_session> client_;
};

}  // namespace turnstile::zookeeper
