// SPDX-License-Identifier: Apache-2.0
// link_state: the state of a session's connection, and the planned move to another server. Calls of the functions in
// this table begin and end the states.
//
// | state    | begins with        | ends with                                                         |
// |----------|--------------------|-------------------------------------------------------------------|
// | entering | the construction   | enter(): the C client has the session, or may open a session      |
// | detached | enter(), detach()  | attach(), die(); a second enter() if the C client cannot start    |
// | attached | attach()           | detach(), die(), begin_move()                                     |
// | moving   | begin_move()       | detach(), die()                                                   |
// | dead     | die()              | nothing: this is the last state                                   |
//
// Thread safety: a value. The session's lock guards it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "core/seam/coordinator.hpp"
#include "zookeeper/way_to_leader.hpp"

namespace turnstile::zookeeper {

class link_state {
public:
    // `clock`: the servers' clock, as read when the session was opened; nothing if no clock was read.
    void enter(const std::optional<core::clock_reading>& clock) noexcept {
        TURNSTILE_CHECK(phase_ == phase::entering || phase_ == phase::detached);
        phase_ = phase::detached;
        if (clock) clock_ = clock;
    }
    void identify(const core::session_identity& own, core::duration timeout) {
        identity_ = own;
        timeout_ = timeout;
    }
    void attach() noexcept {
        TURNSTILE_CHECK(phase_ == phase::detached);
        phase_ = phase::attached;
        ++connection_;
    }
    void detach() noexcept {
        TURNSTILE_CHECK(is_linked());
        phase_ = phase::detached;
    }
    void die() noexcept {
        TURNSTILE_CHECK(phase_ != phase::dead);
        phase_ = phase::dead;
    }
    void close() noexcept { closed_ = true; }

    [[nodiscard]] bool is_closed() const noexcept { return closed_; }
    [[nodiscard]] bool is_dead() const noexcept { return phase_ == phase::dead; }
    [[nodiscard]] bool is_detached() const noexcept { return phase_ == phase::detached; }
    [[nodiscard]] bool is_linked() const noexcept {
        return phase_ == phase::attached || phase_ == phase::moving;
    }
    // True if requests go to the C client.
    [[nodiscard]] bool is_usable() const noexcept { return phase_ == phase::attached && !closed_; }
    [[nodiscard]] bool is_usable_on(std::uint64_t connection) const noexcept {
        return is_usable() && connection_ == connection;
    }
    [[nodiscard]] bool may_leave(std::uint64_t connection) const noexcept {
        return is_linked() && !closed_ && connection_ == connection;
    }

    // Plans the move to the leader, which begins when no request is in progress.
    void begin_move(way_to_leader&& way) {
        TURNSTILE_CHECK(phase_ == phase::attached);
        to_leader_ = std::move(way);
        phase_ = phase::moving;
    }
    [[nodiscard]] bool is_to_move() const noexcept {
        return phase_ == phase::moving && to_leader_.has_value();
    }
    [[nodiscard]] std::optional<way_to_leader> take_move() {
        return std::exchange(to_leader_, std::nullopt);
    }
    // Stores the planned move to another server, away from a connection whose server does not answer.
    void found_elsewhere(way_to_leader&& way) { elsewhere_ = std::move(way); }
    [[nodiscard]] std::optional<way_to_leader> take_elsewhere() {
        if (elsewhere_) to_leader_.reset();
        return std::exchange(elsewhere_, std::nullopt);
    }

    // The number of the latest connection, from 1.
    [[nodiscard]] std::uint64_t connection() const noexcept { return connection_; }
    [[nodiscard]] const core::session_identity& identity() const noexcept { return identity_; }
    [[nodiscard]] const std::optional<core::clock_reading>& clock() const noexcept {
        return clock_;
    }
    [[nodiscard]] core::duration timeout() const noexcept { return timeout_; }
    [[nodiscard]] core::link_event event(core::link_kind kind) const {
        core::link_event event;
        event.kind = kind;
        event.connection = connection_;
        event.session_id = identity_.id;
        return event;
    }

private:
    enum class phase { entering, detached, attached, moving, dead };

    phase phase_ = phase::entering;
    bool closed_ = false;
    std::uint64_t connection_ = 0;
    core::session_identity identity_;
    core::duration timeout_{};
    std::optional<core::clock_reading> clock_;
    std::optional<way_to_leader> to_leader_;  // for a move that has not begun
    std::optional<way_to_leader> elsewhere_;
};

}  // namespace turnstile::zookeeper
