// SPDX-License-Identifier: Apache-2.0
// module_notice: tells the guardian about one session, and about the session's end. It is for sessions that use a
// module: a separate library for one kind of server, such as Redis. ZooKeeper sessions use guardian_notice.
//
//     module_notice known{guardian, connect_string, settings};  // `guardian` may be null
//     open(known.for_server(settings));                         // a session of these settings
//     known.begin(id, proof);                                   // attached, and not used yet
//     known.end();                                              // closed or expired
//
// Thread safety: one thread at a time. The guardian's link is safe from any thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/log.hpp"
#include "core/seam/coordinator.hpp"
#include "guardian/guardian_link.hpp"

namespace turnstile::guardian {

class module_notice {
public:
    module_notice(std::shared_ptr<guardian_link> guardian, std::string servers,
                  const core::session_settings& settings)
        : guardian_{std::move(guardian)} {
        using std::chrono::milliseconds;
        session_.servers = std::move(servers);
        session_.timeout =
            std::max(std::chrono::ceil<milliseconds>(settings.timeout), milliseconds{1});
        if (guardian_) session_.number = guardian_->next_number();
    }

    // Returns the settings for opening the session. With a guardian, they demand of the server no promise about dead
    // processes, because the guardian ends the sessions of a dead process.
    [[nodiscard]] core::session_settings for_server(core::session_settings own) const {
        if (guardian_) own.required.crash = crash_promise::never;
        return own;
    }
    // Tells the guardian about the session. A later call replaces the session.
    void begin(std::int64_t id, std::string proof) {
        if (!guardian_ || id == 0) return;
        session_.id = id;
        session_.proof = std::move(proof);
        if (fits(session_)) return guardian_->tell(session_);
        log::write(log_level::warning,
                   "the connect string has {} bytes, and a guardian accepts at most {}; if this "
                   "process crashes, its locks stay taken for the session timeout",
                   session_.servers.size(), k_longest_connect_string);
    }
    // Logs a warning if the guardian has reported that it cannot end this session. Call this from time to time.
    void check() noexcept {
        if (guardian_ && session_.id != 0) static_cast<void>(guardian_->ends(session_.servers));
    }
    void end() noexcept {
        if (guardian_ && std::exchange(session_.id, 0) != 0)
            guardian_->tell(forget_module_session{session_.number});
    }

private:
    std::shared_ptr<guardian_link> guardian_;
    guard_module_session session_;
};

}  // namespace turnstile::guardian
