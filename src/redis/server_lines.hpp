// SPDX-License-Identifier: Apache-2.0
// server_lines: the receiving side of a session's two connections, until the session leaves them.
//
// Thread safety: none. Only the thread that has the turn to read uses the object (reading_turn.hpp).
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "redis/line.hpp"
#include "redis/replica_wait.hpp"

namespace turnstile::redis {

class server_lines {
public:
    explicit server_lines(replica_wait replicas) : replicas_{std::move(replicas)} {}

    // `answers`: the connection on which the session sends. `wakes`: the connection on which the server announces
    // events.
    void attach(std::shared_ptr<line> answers, std::unique_ptr<line> wakes);
    void detach();

    [[nodiscard]] const replica_wait& replicas() const noexcept { return replicas_; }
    void receive() { answers_->receive(); }
    // Returns the next reply that replicas have acknowledged if they must; nothing if there is none yet. Leaves the
    // server if too few replicas have acknowledged.
    [[nodiscard]] owned_reply next();
    // Waits for any reply. Returns false if none came until `deadline`.
    [[nodiscard]] bool skip(core::time_point deadline);
    // Receives the announcements, and returns the last one.
    [[nodiscard]] owned_reply latest_wake();

    [[nodiscard]] int answers_fd() const noexcept { return answers_->fd(); }
    [[nodiscard]] int wakes_fd() const noexcept { return wakes_->fd(); }
    [[nodiscard]] const std::optional<server_address>& peer() const noexcept {
        return answers_->peer();
    }

    void leave(std::string_view reason) { reason_ = reason; }
    // Leaves the server if the connection for answers has broken.
    void leave_if_cut();
    // The server has reported that the session has ended.
    void end_session() noexcept { ended_ = true; }
    [[nodiscard]] bool is_left() const noexcept { return !reason_.empty(); }
    [[nodiscard]] bool is_ended() const noexcept { return ended_; }
    // True if the session leaves the server, or has ended.
    [[nodiscard]] bool is_over() const noexcept { return is_left() || ended_; }
    [[nodiscard]] bool is_cut() const noexcept { return answers_->broken(); }
    // The reason to leave the server; empty: none.
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

private:
    const replica_wait replicas_;
    std::shared_ptr<line> answers_;
    std::unique_ptr<line> wakes_;
    owned_reply unacknowledged_;
    std::string reason_;
    bool ended_ = false;
};

}  // namespace turnstile::redis
