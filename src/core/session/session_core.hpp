// SPDX-License-Identifier: Apache-2.0
// session_core: the state and the decisions of one session of a client.
//
// A pure value: `on(input, now)` and `on_time(now)` take events, and `take()` returns actions. A session_core calls
// nothing outside, is never called back, and has no clock. It can be copied and compared. During its life it has
// several sessions of the servers, one after the other: its epochs.
//
//     core.on(acquire{id, settings, deadline}, now);
//     for (auto& action : core.take()) execute(action);
//     arm_timer(core.next_deadline());
//
// | event            | new state               | effect on holds      | effect on waiters          |
// |------------------|-------------------------|----------------------|----------------------------|
// | attached         | connected               | confirmed at once    | list the folder again      |
// | detached         | suspended               | notified: `at_risk`  | keep their position        |
// | lease ran out    | lost                    | lost; znodes removed | keep their position        |
// | replaced         | lost, then connecting   | lost                 | enter again in a new epoch |
// | expired          | lost, then connecting   | lost                 | enter again in a new epoch |
// | auth_failed      | auth_failed             | lost                 | fail                       |
// | close            | closed                  | lost, znodes removed | fail                       |
//
// A session is replaced in five cases: the chain of answers that extends its lease broke (lease.hpp); its lease had
// ended before a connection began; the wall clock stepped ahead; no server takes the session back; or only the end of
// the session can remove a znode of ours.
//
// Each owner keeps a part of the session's state. The core passes each event to the steps that handle it
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
    // Executes everything that is due. Call it at next_deadline() or later; an earlier call does no harm.
    void on_time(time_point now);
    [[nodiscard]] std::optional<time_point> next_deadline() const;
    [[nodiscard]] std::vector<action> take() { return std::exchange(owners_.basics.actions, {}); }
    // Like take(), but moves the actions into a vector of the caller, whose capacity is used again.
    void take(std::vector<action>& into) {
        into.clear();
        into.swap(owners_.basics.actions);
    }

    [[nodiscard]] session_state state() const noexcept { return owners_.epochs.state(); }
    [[nodiscard]] std::uint64_t epoch() const noexcept { return owners_.epochs.count(); }
    // Returns the number of the latest connection of the present session at the servers (reply::connection).
    [[nodiscard]] std::uint64_t connection() const noexcept { return owners_.link.connection(); }
    [[nodiscard]] std::int64_t session_id() const noexcept { return owners_.link.session_id(); }
    [[nodiscard]] bool has_left(std::int64_t session) const {
        return owners_.epochs.has_left(session);
    }
    [[nodiscard]] const core::lease& session_lease() const noexcept {
        return owners_.link.session_lease();
    }
    [[nodiscard]] server_role role() const noexcept { return owners_.link.role(); }
    [[nodiscard]] const std::string& server() const noexcept { return owners_.link.server(); }
    // Returns the bytes of the contenders' znodes, with the chroot before each path.
    [[nodiscard]] std::size_t owned_bytes() const noexcept {
        const auto& contenders = owners_.contenders.table();
        return contenders.owned_bytes() + contenders.size() * owners_.settings.chroot;
    }
    // Returns the bytes that a contender on `path` adds to owned_bytes().
    [[nodiscard]] std::size_t bytes_of(const std::string& path, const claim& wants) const {
        return contender_bytes(path, wants) + owners_.settings.chroot;
    }
    [[nodiscard]] std::size_t watched_paths() const { return owners_.traces.watched_paths(); }
    // Number of watched folders in which no contender waits (sole_contender_memory.hpp).
    [[nodiscard]] std::size_t watched_folders() const { return owners_.traces.watched_folders(); }
    [[nodiscard]] std::size_t watched_bytes() const noexcept {
        return owners_.traces.watched_bytes();
    }
    [[nodiscard]] bool has_room_for_watches() const noexcept {
        return watched_bytes() < owners_.settings.watches.bytes;
    }
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
