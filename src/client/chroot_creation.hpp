// SPDX-License-Identifier: Apache-2.0
// chroot_creation: wraps another coordinator, and creates that coordinator's chroot before it opens the first session
// (client_options::create_chroot).
//
// Paths below a chroot cannot name its parents. So a temporary session, whose paths start at the servers' root
// (session_settings::whole_tree), creates the missing znodes. Until that session has an answer, no other session is
// opened, and callers wait as if the servers could not be reached. If the servers refuse to create the chroot, callers
// that later find it missing get the reason of that refusal.
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
    // `acl`: the access control list of the created znodes.
    chroot_creation(std::shared_ptr<core::coordinator> servers, core::acl_policy acl)
        : servers_{std::move(servers)}, acl_{acl} {}

    // Creates the chroot, unless an earlier call has created it, and then opens a session of the wrapped coordinator.
    // Throws the exceptions of that coordinator, and std::system_error if no server answers within some seconds.
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

    base::mutex turn_;  // lets one of several new sessions create the chroot
    bool created_ GUARDED_BY(turn_) = false;

    base::mutex mutex_ ACQUIRED_AFTER(turn_);
    base::condition_variable changed_;
    bool over_ GUARDED_BY(mutex_) = false;
};

}  // namespace turnstile::detail
