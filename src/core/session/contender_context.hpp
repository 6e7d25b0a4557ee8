// SPDX-License-Identifier: Apache-2.0
// contender_context: what an acquisition sees of its session during one call.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/contender/acquisition_context.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/queue_index.hpp"
#include "core/session/client_life.hpp"

namespace turnstile::core {

// The znodes of abandoned creates are removed by acquisitions of the session's own, with ids from here
// on. They have no callers: what they tell is dropped.
inline constexpr std::uint64_t k_first_leftover = std::uint64_t{1} << 63U;

// The answer to a list that several share: an index for each family that asks.
class prepared_list {
public:
    explicit prepared_list(const std::vector<std::string>& children) : children_{children} {}
    [[nodiscard]] const queue_index* of(contender_family family) {
        const auto found = indexes_.find(family);
        if (found != indexes_.end()) return &found->second;
        return &indexes_.emplace(family, queue_index{children_, family}).first->second;
    }

private:
    const std::vector<std::string>& children_;
    std::map<contender_family, queue_index> indexes_;
};

class contender_context final : public acquisition_context {
public:
    contender_context(client_life& life, acquisition_id id, prepared_list* list)
        : life_{life}, id_{id}, prepared_{list} {}

    [[nodiscard]] bool attached() const override { return life_.attached() != nullptr; }
    [[nodiscard]] std::uint64_t connection() const override { return life_.latest_connection(); }
    [[nodiscard]] std::int64_t session_id() const override { return life_.session_id(); }
    [[nodiscard]] bool lease_lasts() const override {
        return life_.pace().lasts(life_.lease, life_.now);
    }
    [[nodiscard]] bool may_enter() const override;
    [[nodiscard]] std::optional<error> no_lease() const override;
    [[nodiscard]] acl_policy acl() const override { return life_.settings.acl; }
    [[nodiscard]] create_mode parent_mode() const override {
        const bool doubted = life_.containers_doubted && !life_.zookeeper_known;
        return life_.containers_refused || doubted ? create_mode::persistent
                                                   : create_mode::container;
    }
    void containers_unsupported() override { life_.containers_refused = true; }
    void parent_create_lost() override { life_.containers_doubted = true; }

    [[nodiscard]] time_point now() const override { return life_.now; }
    [[nodiscard]] duration unseen_for() const override {
        return life_.pace().unseen_for(life_.lease);
    }
    [[nodiscard]] duration lengthened(duration wanted) const override {
        return life_.lease.lengthened(wanted);
    }

    // place: guid_of_a_create
    std::string new_guid() override { return base::make_guid(life_.chance); }
    ticket submit(operation&& op) override;
    ticket enter(create_op&& znode) override;
    ticket list(const std::string& folder) override;
    ticket remove(const std::string& path, const std::vector<std::string>& watched) override;
    [[nodiscard]] bool gathers_removals() const override {
        return life_.epoch && life_.epoch->removals.gathers();
    }
    [[nodiscard]] const queue_index* index(contender_family family) override {
        return prepared_ == nullptr ? nullptr : prepared_->of(family);
    }

    void watch(const std::string& path) override;
    void unwatch(const std::string& path) override;
    void unwatch_gone(const std::string& path) override;
    [[nodiscard]] bool has_room_to_watch(std::size_t all, std::size_t more,
                                         std::size_t bytes) const override;

    std::optional<error> foreign_ahead(const std::string& folder, contender_family ours,
                                       contender_family theirs) override;
    void abandon(const std::string& guid) override;
    void replace_session(const std::string& reason) override;
    void retry_later() override;
    void tell(decltype(notice::event)&& event) override;

private:
    // True if the window has room and no other contender of the session enters before this one.
    [[nodiscard]] bool is_next_to_enter() const;
    void give_back(const std::string& path);

    client_life& life_;
    const acquisition_id id_;
    prepared_list* const prepared_;
};

}  // namespace turnstile::core
