// SPDX-License-Identifier: Apache-2.0
// command_stream: the sending side of a session's connection. Several threads add commands, and one of them sends.
//
// Thread safety: none. The session's lock guards the object.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "redis/line.hpp"

namespace turnstile::redis {

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

}  // namespace turnstile::redis
