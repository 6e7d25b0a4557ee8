// SPDX-License-Identifier: Apache-2.0
// contender_table: the contenders of a session, and sets of contenders that need an action: holds, contenders whose
// znodes the session must check (confirmations.hpp), contenders that must watch their own znodes, and contenders that
// wait for the lease.
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/contender/contender_core.hpp"
#include "core/session/session_basics.hpp"

namespace turnstile::core {

struct contender_entry {
    contender_core value;
    std::optional<time_point> deadline{};  // the deadline of the grant
    // Number of repeated reads while the contender waits for a hold of the contender's own owner.
    std::uint32_t looks_at_own_hold = 0;
    friend bool operator==(const contender_entry&, const contender_entry&) = default;
};

class contender_table {
public:
    using map = std::map<contender_id, contender_entry>;

    // `watched_in_line`: how many contenders that are next in line may watch their own znodes.
    explicit contender_table(std::size_t watched_in_line) : watched_in_line_{watched_in_line} {}

    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
    [[nodiscard]] const map& all() const noexcept { return all_; }
    [[nodiscard]] contender_entry* find(contender_id id);
    [[nodiscard]] const contender_entry* find(contender_id id) const;
    [[nodiscard]] const contender_core& at(contender_id id) const { return all_.at(id).value; }
    void add(contender_id id, contender_entry&& added);
    // Stores a changed contender, which was of kind `kind_before` before. `connection`: the number of the latest
    // connection. Returns true if the contender now needs confirmations (writes that extend the lease), and no
    // contender needed any before.
    [[nodiscard]] bool update(contender_id id, const contender_core& changed,
                              claim_kind kind_before, std::uint64_t connection);
    void erase(contender_id id) { all_.erase(id); }

    [[nodiscard]] const id_set& holding() const noexcept { return holding_; }
    [[nodiscard]] const id_set& confirming() const noexcept { return confirming_; }
    [[nodiscard]] const id_set& unwatched() const noexcept { return unwatched_; }
    [[nodiscard]] const id_set& awaiting_lease() const noexcept { return awaiting_lease_; }
    [[nodiscard]] const id_set& outside() const noexcept { return outside_; }
    // Returns the sum of contender_core::owned_bytes() over all contenders.
    [[nodiscard]] std::size_t owned_bytes() const noexcept { return owned_bytes_; }

    // Returns the contender whose znode the next confirmation (a write that extends the lease) checks: the next
    // contender after `latest`, in rotation.
    [[nodiscard]] std::optional<contender_id> next_to_confirm(contender_id latest) const;

    friend bool operator==(const contender_table&, const contender_table&) = default;

private:
    [[nodiscard]] bool is_to_be_watched(const contender_core& changed,
                                        std::uint64_t connection) const;

    std::size_t watched_in_line_;
    map all_;
    id_set holding_;
    id_set confirming_;
    // Contenders that should watch their own znodes on this connection, but have set no watch yet.
    id_set unwatched_;
    id_set awaiting_lease_;
    id_set outside_;
    std::size_t owned_bytes_ = 0;
};

}  // namespace turnstile::core
