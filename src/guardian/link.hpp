// SPDX-License-Identifier: Apache-2.0
// link: a process's connection to its guardian.
//
//     auto guardian = guardian::obtain(options.guardian);  // null without one
//     if (guardian) guardian->tell(guard_session{...});
//
// Messages stay in the socket if the process dies, and the guardian reads them before it acts. A guardian that is
// gone or lags blocks nothing: messages that do not fit into the socket at once are dropped, with one line in the
// log. After that a crash costs the session time-out.
//
// Thread safety: all members from any thread. In a forked child `tell` does nothing: the guardian is the parent's.
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
    // The guardian keeps a copy of the descriptor until the process has ended, or until `let_go` with this number.
    [[nodiscard]] std::uint64_t keep_open(int descriptor) noexcept;
    // A number that no other session or file of this process has.
    [[nodiscard]] std::uint64_t next_number() noexcept { return ++last_number_; }
    // True until a send has found that the guardian is gone.
    [[nodiscard]] bool alive() const noexcept { return !gone_; }
    // True while the guardian is there and has every message: it would act when this process ends.
    [[nodiscard]] bool guards() const noexcept;
    // True if the guardian would also end sessions with these servers of a module. Once the guardian has reported that
    // it cannot, the log gets one line and the result is false.
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

// The link of this process, made by the first call: all clients of a process share one guardian. Null if the settings
// want no guardian, and, with a line in the log, if none can be reached or started.
[[nodiscard]] std::shared_ptr<link> obtain(const guardian_settings& settings);

}  // namespace turnstile::guardian
