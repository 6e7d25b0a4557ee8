// SPDX-License-Identifier: Apache-2.0
// guardian_link: a process's connection to its guardian, another process. When the first process ends, the guardian
// closes the sessions of the first process.
//
//     auto guardian = guardian::obtain(options.guardian);  // null without one
//     if (guardian) guardian->tell(guard_session{...});
//
// If the process dies, the guardian first reads the process's remaining messages, which stay in the socket. Sending
// never waits for the guardian: if the socket is full or the guardian has ended, the link drops the message and logs
// this once. If the process crashes after a dropped message, its sessions last until their timeout.
//
// Thread safety: all members from any thread. After fork(), `tell` does nothing in the child, because the link belongs
// to the parent.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/mutex.hpp"
#include "base/process.hpp"
#include "guardian/message.hpp"
#include "support/descriptor.hpp"
#include "turnstile/guardian.hpp"

namespace turnstile::guardian {

class guardian_link {
public:
    // Sends the first message. The guardian has the other end of `socket`, or will connect to it.
    explicit guardian_link(support::descriptor socket) noexcept;
    ~guardian_link() = default;
    guardian_link(const guardian_link&) = delete;
    guardian_link& operator=(const guardian_link&) = delete;

    void tell(const message& value) noexcept { send(value, -1); }
    // Sends a copy of the descriptor to the guardian. The guardian keeps the copy open until this process has ended, or
    // until it receives `let_go` with the returned number.
    [[nodiscard]] std::uint64_t keep_open(int descriptor) noexcept;
    // Returns a number that no other session or file of this process has.
    [[nodiscard]] std::uint64_t next_number() noexcept { return ++last_number_; }
    // False after a send has failed because the guardian has ended.
    [[nodiscard]] bool alive() const noexcept { return !gone_; }
    // True if the guardian runs and has received every message, so that it will act when this process ends.
    [[nodiscard]] bool guards() const noexcept;
    // Returns true if the guardian can end sessions at `servers`, the connect string of a session that uses a module: a
    // separate library for one kind of server. Returns false if the guardian has reported that it cannot end sessions
    // with the scheme of this connect string; logs this once.
    [[nodiscard]] bool ends(std::string_view servers) noexcept;
    [[nodiscard]] bool forked() const noexcept { return process_.forked(); }

private:
    void send(const message& value, int passed) noexcept;
    void say_hello() noexcept;
    void failed(int why) noexcept;
    void read_refusals() REQUIRES(mutex_);

    const base::process_mark process_;
    support::descriptor socket_;
    std::atomic<bool> gone_{false};
    std::atomic<bool> missed_{false};  // a message was dropped
    std::atomic<bool> logged_{false};
    std::atomic<std::uint64_t> last_number_{0};
    base::mutex mutex_;
    std::set<std::string, std::less<>> refused_ GUARDED_BY(mutex_);  // the schemes of cannot_end
};

// True if a guardian has started this process. An environment variable shows this.
[[nodiscard]] bool is_inherited() noexcept;

// Returns this process's connection to its guardian, which all clients of the process share. The first call makes it.
// Returns null if the settings want no guardian. Also returns null, and logs this, if no guardian can be reached or
// started.
[[nodiscard]] std::shared_ptr<guardian_link> obtain(const guardian_settings& settings);

}  // namespace turnstile::guardian
