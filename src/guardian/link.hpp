// SPDX-License-Identifier: Apache-2.0
// link: a process's connection to its guardian.
//
//     auto guardian = guardian::obtain(options.guardian);  // null without one
//     if (guardian) guardian->tell(guard_session{...});
//
// If the process dies, its messages stay in the socket, and the guardian reads them before it acts. A guardian that has
// ended or lags blocks no thread of the process: messages that do not fit into the socket at once are dropped, with one
// line in the log. If the process crashes after that, its sessions last until their timeout.
//
// Thread safety: all members from any thread. In a forked child `tell` does nothing, because the link belongs to the
// parent.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/mutex.hpp"
#include "guardian/message.hpp"
#include "support/descriptor.hpp"
#include "turnstile/guardian.hpp"

namespace turnstile::guardian {

class link {
public:
    // Sends the first message. The guardian is at the other end of `socket`, or will be.
    explicit link(support::descriptor socket) noexcept;
    ~link() = default;
    link(const link&) = delete;
    link& operator=(const link&) = delete;

    void tell(const message& value) noexcept { send(value, -1); }
    // Sends a copy of the descriptor to the guardian. The guardian keeps the copy open until the process has ended, or
    // until it gets `let_go` with the returned number.
    [[nodiscard]] std::uint64_t keep_open(int descriptor) noexcept;
    // A number that no other session or file of this process has.
    [[nodiscard]] std::uint64_t next_number() noexcept { return ++last_number_; }
    // True until a send has found that the guardian has ended.
    [[nodiscard]] bool alive() const noexcept { return !gone_; }
    // True while the guardian runs and has every message, so that it would act at the end of this process.
    [[nodiscard]] bool guards() const noexcept;
    // True if the guardian would also end sessions with these servers of a module. Once the guardian has reported that
    // it cannot end such sessions, writes one line to the log and returns false.
    [[nodiscard]] bool ends(std::string_view servers) noexcept;
    [[nodiscard]] bool forked() const noexcept;

private:
    // `passed`: a descriptor that is sent with the message, or -1.
    void send(const message& value, int passed) noexcept;
    void say_hello() noexcept;
    void failed(int why) noexcept;
    void read_refusals() REQUIRES(mutex_);

    const std::uint64_t generation_;
    support::descriptor socket_;
    std::atomic<bool> gone_{false};
    std::atomic<bool> missed_{false};  // a message was dropped
    std::atomic<bool> logged_{false};
    std::atomic<std::uint64_t> last_number_{0};
    base::mutex mutex_;
    std::set<std::string, std::less<>> refused_ GUARDED_BY(mutex_);  // schemes
};

// True if a guardian started this process; a variable in the environment shows it.
[[nodiscard]] bool is_inherited() noexcept;

// Returns the link of this process; the first call makes it, and all clients of the process share it. Returns null if
// the settings want no guardian. Also returns null, with a line in the log, if no guardian can be reached or started.
[[nodiscard]] std::shared_ptr<link> obtain(const guardian_settings& settings);

}  // namespace turnstile::guardian
