// SPDX-License-Identifier: Apache-2.0
// session_lines: a session's two connections to its server, and the question to the server's replicas.
//
//     command_stream   sends commands, which several threads may add
//     server_lines     reads the replies and the announced events
//     replica_wait     if replicas must acknowledge the writes: asks how many have
#pragma once

#include <hiredis/hiredis.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "core/seam/seam.hpp"
#include "redis/line.hpp"

namespace turnstile::redis {

// Asks a server how many replicas have acknowledged a session's writes, and checks that number.
//
// Thread safety: a value that does not change after its construction.
class replica_wait {
public:
    // `replicas`: the number of replicas that must acknowledge each write; 0: none.
    replica_wait(int replicas, core::duration session_timeout)
        : replicas_{replicas},
          count_{std::to_string(replicas)},
          patience_{std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(
                                       std::min<core::duration>(session_timeout / 3, k_longest))
                                       .count())} {}

    [[nodiscard]] bool is_needed() const noexcept { return replicas_ != 0; }
    [[nodiscard]] std::vector<std::string_view> command() const {
        return {"WAIT", count_, patience_};
    }
    [[nodiscard]] bool accepts(const redisReply& count) const noexcept {
        return count.type == REDIS_REPLY_INTEGER && count.integer >= replicas_;
    }
    // The reason for leaving the server after accepts() has returned false.
    [[nodiscard]] std::string refusal() const {
        return "fewer than " + count_ + " replicas have acknowledged the last write";
    }

private:
    static constexpr core::duration k_longest = std::chrono::seconds{2};

    const int replicas_;
    const std::string count_;
    const std::string patience_;  // in milliseconds
};

// The sending side of a session's connection. Several threads add commands, and one of them sends.
//
// Thread safety: none. The session's lock guards the object.
class command_stream {
public:
    void attach(std::shared_ptr<line> to) { to_ = std::move(to); }
    void detach() { to_.reset(); }
    [[nodiscard]] bool is_attached() const noexcept { return to_ != nullptr; }

    void append(const std::vector<std::string_view>& words) { to_->append(words); }
    // Sends the unsent commands, unless another thread is sending. Releases the session's lock during the system call.
    // Returns false if the socket did not accept all bytes.
    [[nodiscard]] bool flush(base::unique_lock& held) NO_THREAD_SAFETY_ANALYSIS;
    // Sends as many bytes as the socket accepts. Returns the connection's descriptor if bytes remain, otherwise -1.
    [[nodiscard]] int send_rest();
    // Waits until no thread is in flush().
    void await_quiet(base::unique_lock& held);

private:
    // This class uses only the connection's members that are marked "Sending" (line.hpp). The reading thread uses the
    // other members.
    std::shared_ptr<line> to_;
    base::condition_variable quiet_;
    bool sending_ = false;  // a thread is sending; it also sends commands that others add meanwhile
    bool awaited_ = false;  // a thread waits for the end of flush()
};

// Reads from a session's two connections to its server, until the session leaves this server.
//
// Thread safety: none. Only the thread that has the turn to read uses the object (session_threads.hpp).
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
