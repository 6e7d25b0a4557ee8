// SPDX-License-Identifier: Apache-2.0
// upgraded_hold: the hold of a read-write lock that was upgraded from upgradable to writer. It has two znodes of one
// session: the znode of the upgradable contender (`base`), and the znode of the upgrade (`upper`). The loss of either
// znode ends the whole hold.
//
// Thread safety: all members from any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "client/session_hold.hpp"

namespace turnstile::detail {

class upgraded_hold final : public hold {
public:
    upgraded_hold(std::shared_ptr<session_hold> base, std::shared_ptr<session_hold> upper)
        : base_{std::move(base)}, upper_{std::move(upper)} {}

    [[nodiscard]] const std::shared_ptr<session_hold>& base() const noexcept { return base_; }
    // Gives up the znode of the upgrade, and returns the upgradable hold with an increased token.
    std::shared_ptr<session_hold> drop_upper();

    [[nodiscard]] const std::string& path() const noexcept override { return upper_->path(); }
    [[nodiscard]] std::string znode() const override { return upper_->znode(); }
    [[nodiscard]] turnstile::fencing_token token() const noexcept override {
        return upper_->token();
    }
    [[nodiscard]] fencing_vector tokens() const override { return upper_->tokens(); }
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept override;
    [[nodiscard]] boottime_clock::time_point certain_until() const noexcept override;
    [[nodiscard]] lease_evidence evidence() const noexcept override { return upper_->evidence(); }
    [[nodiscard]] result<void> status() const override;
    [[nodiscard]] std::stop_token lost_token() const noexcept override {
        return base_->lost_token();
    }
    void on_lost(std::function<void(const error&)> callback) override {
        base_->on_lost(std::move(callback));
    }
    // Returns both holds. `upper_` comes first, so it sends the commit.
    [[nodiscard]] result<znode_holds> parts_for_commit() override {
        return znode_holds{upper_, base_};
    }
    void run_as_callback(std::function<void()> task) override {
        upper_->run_as_callback(std::move(task));
    }
    void unlock() noexcept override;
    [[nodiscard]] boottime_clock::duration release_limit() const override {
        return base_->release_limit();
    }

private:
    [[nodiscard]] result<void> await_release(boottime_clock::time_point deadline) override;

    const std::shared_ptr<session_hold> base_;
    const std::shared_ptr<session_hold> upper_;
};

}  // namespace turnstile::detail
