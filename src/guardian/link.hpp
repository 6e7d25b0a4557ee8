// SPDX-License-Identifier: Apache-2.0
// link: a process's way to its guardian.
//
//     auto guardian = guardian::obtain(options.guardian);  // null without one
//     if (guardian) guardian->tell(guard_session{...});
//
// What was told stays in the socket if the process dies, and the guardian reads it before it acts. A guardian that is
// gone or lags holds up nothing: what does not fit into the socket at once is dropped, with one line in the log, and a
// crash then costs the session time-out.
//
// Thread safety: all members from any thread. In a forked child `tell` does nothing: its parent's guardian is not its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "guardian/message.hpp"
#include "support/descriptor.hpp"
#include "turnstile/guardian.hpp"

namespace turnstile::guardian {

class link {
public:
    // Says hello. The guardian is at the other end of `socket`, or will be.
    explicit link(support::descriptor socket) noexcept;
    ~link() = default;
    link(const link&) = delete;
    link& operator=(const link&) = delete;

    void tell(const message& value) noexcept { send(value, -1); }
    // The guardian has a copy of the descriptor until the process has ended, or `let_go` with this number.
    [[nodiscard]] std::uint64_t keep_open(int descriptor) noexcept;
    // True until the guardian is found to be gone.
    [[nodiscard]] bool alive() const noexcept { return !gone_; }
    // True while the guardian is there and has been told everything: it would act on the end of this process.
    [[nodiscard]] bool guards() const noexcept;
    [[nodiscard]] bool forked() const noexcept;

private:
    // `passed`: a descriptor that goes with it, or -1.
    void send(const message& value, int passed) noexcept;
    void say_hello() noexcept;
    void failed(int why) noexcept;

    const std::uint64_t generation_;
    support::descriptor socket_;
    std::atomic<bool> gone_{false};
    std::atomic<bool> missed_{false};  // a message was dropped
    std::atomic<bool> logged_{false};
    std::atomic<std::uint64_t> last_number_{0};
};

// Whether the program that started this process is a guardian, as the environment says.
[[nodiscard]] bool is_inherited() noexcept;

// The link of this process, made by the first call: all clients of a process share one guardian. Null if there is to
// be none, and, with a line in the log, if there is none to be had.
[[nodiscard]] std::shared_ptr<link> obtain(const guardian_settings& settings);

}  // namespace turnstile::guardian
