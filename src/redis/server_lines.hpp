// SPDX-License-Identifier: Apache-2.0
// server_lines: reads from a session's two connections to its server, until the session leaves this server.
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

    // `answers`: the connection for requests and replies. `bells`: the connection on which the server announces events
    // (bell.hpp).
    void attach(std::shared_ptr<line> answers, std::unique_ptr<line> bells);
    void detach();

    [[nodiscard]] const replica_wait& replicas() const noexcept { return replicas_; }
    void receive() { answers_->receive(); }
    // Returns the next reply, or nothing if none has arrived. If replicas must acknowledge writes, returns the reply
    // only together with their acknowledgement. If too few replicas have acknowledged, returns nothing and leaves the
    // server.
    [[nodiscard]] owned_reply next();
    // Waits for a reply and drops it. Returns false if none has arrived by `deadline`.
    [[nodiscard]] bool skip(core::time_point deadline);
    // Reads all bells (messages that wake the session) that have arrived, and returns the last bell.
    [[nodiscard]] owned_reply latest_bell();

    [[nodiscard]] int answers_fd() const noexcept { return answers_->fd(); }
    [[nodiscard]] int bells_fd() const noexcept { return bells_->fd(); }
    [[nodiscard]] const std::optional<server_address>& peer() const noexcept {
        return answers_->peer();
    }

    void leave(std::string_view reason) { reason_ = reason; }
    // Leaves the server if the connection for replies is broken.
    void leave_if_cut();
    // Records that the server has reported the session's end.
    void end_session() noexcept { ended_ = true; }
    [[nodiscard]] bool is_left() const noexcept { return !reason_.empty(); }
    [[nodiscard]] bool is_ended() const noexcept { return ended_; }
    [[nodiscard]] bool is_over() const noexcept { return is_left() || ended_; }
    [[nodiscard]] bool is_cut() const noexcept { return answers_->broken(); }
    // The reason to leave the server; empty: none.
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

private:
    const replica_wait replicas_;
    std::shared_ptr<line> answers_;
    std::unique_ptr<line> bells_;
    owned_reply unacknowledged_;
    std::string reason_;
    bool ended_ = false;
};

}  // namespace turnstile::redis
