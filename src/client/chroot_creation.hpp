// SPDX-License-Identifier: Apache-2.0
// chroot_creation: a coordinator that creates the chroot of another coordinator before it opens the first session
// (client_options::create_chroot).
//
// Paths below a chroot cannot name its parents. So a short session without the chroot (session_settings::whole_tree)
// creates the missing znodes. No other session is opened until that session has an answer: a caller waits as it waits
// for servers that it cannot reach. If the servers refuse, the reason goes to callers that then find the chroot
// missing.
//
// Thread safety: all members from any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/latest_failure.hpp"
#include "base/mutex.hpp"
#include "core/seam/coordinator.hpp"

namespace turnstile::detail {

class chroot_creation final : public core::coordinator {
public:
    // `acl` applies to the znodes that it creates.
    chroot_creation(std::shared_ptr<core::coordinator> servers, core::acl_policy acl)
        : servers_{std::move(servers)}, acl_{acl} {}

    // Also throws std::system_error if no server has answered within some seconds.
    std::unique_ptr<core::coordinator_session> open(const core::session_settings& settings,
                                                    core::session_sink& sink) override;
    void end_opening() noexcept override;

    [[nodiscard]] std::string_view chroot() const noexcept override { return servers_->chroot(); }
    [[nodiscard]] bool open_may_block() const noexcept override { return true; }
    [[nodiscard]] turnstile::promises promises() const override { return servers_->promises(); }
    [[nodiscard]] bool frees_at_once() const noexcept override { return servers_->frees_at_once(); }
    [[nodiscard]] bool numbers_count_creates() const noexcept override {
        return servers_->numbers_count_creates();
    }
    [[nodiscard]] std::string describe() const override { return servers_->describe(); }
    [[nodiscard]] std::string diagnose() const override { return servers_->diagnose(); }
    [[nodiscard]] bool takes_help() const noexcept override { return servers_->takes_help(); }
    [[nodiscard]] std::optional<error> last_failure() const override;

private:
    class attempt;
    void create_once(const core::session_settings& settings) EXCLUDES(turn_, mutex_);

    const std::shared_ptr<core::coordinator> servers_;
    const core::acl_policy acl_;
    base::latest_failure refusal_;  // the servers' latest refusal

    base::mutex turn_;  // only the first of several new sessions creates the chroot
    bool created_ GUARDED_BY(turn_) = false;

    base::mutex mutex_ ACQUIRED_AFTER(turn_);
    base::condition changed_;
    bool over_ GUARDED_BY(mutex_) = false;
};

}  // namespace turnstile::detail
