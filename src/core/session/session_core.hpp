// SPDX-License-Identifier: Apache-2.0
// session_core: everything that one session of a client knows and decides.
//
// A pure value: `on(input, now)` and `on_time(now)` take events in, `take()` gives actions out. It
// calls nothing outside, is never called back, and has no clock; it can be copied and compared. Over its
// life it goes through several sessions of the servers, one after the other, its epochs.
//
//     core.on(acquire{id, settings, deadline}, now);
//     for (auto& action : core.take()) execute(action);
//     arm_timer(core.next_deadline());
//
// | event            | state becomes           | holds                | waiters                    |
// |------------------|-------------------------|----------------------|----------------------------|
// | attached         | connected               | confirmed at once    | list again                 |
// | detached         | suspended               | told `at_risk`       | keep their place           |
// | lease ran out    | lost                    | lost; znodes removed | keep their place           |
// | replaced         | lost, then connecting   | lost                 | enter again in a new epoch |
// | expired          | lost, then connecting   | lost                 | enter again in a new epoch |
// | auth_failed      | auth_failed             | lost                 | fail                       |
// | close            | closed                  | lost, znodes removed | fail                       |
//
// Replaced: a chain of links that broke, a lease that was over at an attach, a wall clock that went ahead, no server
// that takes the session back, or a znode of ours that only the end of the session removes.
//
// Four owners keep its state, each its own part. It hands each event to the steps that the event is for
// (session_owners.hpp).
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/session/session_owners.hpp"

namespace turnstile::core {

class session_core {
public:
    explicit session_core(const session_core_settings& settings) : owners_{settings} {}

    void on(const input& event, time_point now);
    // Does what is due. To be called at next_deadline() or later; earlier calls do no harm.
    void on_time(time_point now);
    [[nodiscard]] std::optional<time_point> next_deadline() const;
    [[nodiscard]] std::vector<action> take() { return std::exchange(owners_.basics.actions, {}); }
    // Into one that is used again and again, and so has room.
    void take(std::vector<action>& into) {
        into.clear();
        into.swap(owners_.basics.actions);
    }

    [[nodiscard]] session_state state() const noexcept { return owners_.epochs.state(); }
    [[nodiscard]] std::uint64_t epoch() const noexcept { return owners_.epochs.count(); }
    // Number of the latest connection of this epoch, as replies have it.
    [[nodiscard]] std::uint64_t connection() const noexcept { return owners_.link.connection(); }
    [[nodiscard]] std::int64_t session_id() const noexcept { return owners_.link.session_id(); }
    // An earlier session of this client, whose znodes may still stand: no caller acts by them any more.
    [[nodiscard]] bool has_left(std::int64_t session) const {
        return owners_.epochs.has_left(session);
    }
    [[nodiscard]] const core::lease& session_lease() const noexcept {
        return owners_.link.session_lease();
    }
    [[nodiscard]] server_role role() const noexcept { return owners_.link.role(); }
    [[nodiscard]] const std::string& server() const noexcept { return owners_.link.server(); }
    // Counts the bytes of paths in the servers' spelling.
    [[nodiscard]] std::size_t owned_bytes() const noexcept {
        const auto& contenders = owners_.contenders.table();
        return contenders.owned_bytes() + contenders.size() * owners_.settings.chroot;
    }
    [[nodiscard]] std::size_t watched_paths() const { return owners_.traces.watched_paths(); }
    // Of these, the folders that are watched although no contender waits (sole_contender_memory.hpp).
    [[nodiscard]] std::size_t watched_folders() const { return owners_.traces.watched_folders(); }
    [[nodiscard]] std::size_t watched_bytes() const noexcept {
        return owners_.traces.watched_bytes();
    }
    // It may be given another contender, as far as its watches go.
    [[nodiscard]] bool has_room_for_watches() const noexcept {
        return watched_bytes() < owners_.settings.watches.bytes;
    }
    // Nothing of ours is left at the servers, and no caller waits.
    [[nodiscard]] bool idle() const noexcept {
        return owners_.contenders.table().empty() && owners_.inquiries.empty() &&
               owners_.commits.empty();
    }

    friend bool operator==(const session_core&, const session_core&) = default;

private:
    void come_to(time_point now);

    session_owners owners_;
};

}  // namespace turnstile::core
