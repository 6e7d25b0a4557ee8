// SPDX-License-Identifier: Apache-2.0
// last_answers: limits the wait for the servers' answers after a command has ended.
//
// `run` then checks its hold, releases the lock and records a job. If the servers do not answer, each of these requests
// waits as long as --connect-timeout. A signal that ends a wait (forwarded_signals::ends_wait) shortens this time: one
// second later the client closes, which ends the requests.
//
// Thread safety: one thread constructs and destroys the object.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <thread>

#include "cli/event_descriptor.hpp"
#include "cli/forwarded_signals.hpp"
#include "turnstile/client.hpp"

namespace turnstile::cli {

class last_answers {
public:
    // Throws std::system_error. While this object exists, no other code may read the signals.
    last_answers(client& servers, const forwarded_signals& signals)
        : servers_{servers}, signals_{signals}, over_{make_event()} {
        watcher_ = std::thread{[this] { watch(); }};
    }
    ~last_answers() {
        ::eventfd_write(over_.get(), 1);
        watcher_.join();
    }
    last_answers(const last_answers&) = delete;
    last_answers& operator=(const last_answers&) = delete;

private:
    void watch() {
        constexpr int k_patience_ms = 1'000;
        if (!has_signal()) return;
        pollfd over{over_.get(), POLLIN, 0};
        if (::poll(&over, 1, k_patience_ms) == 0) servers_.close();
    }
    // Waits for a signal or the end of this object. Returns true if a signal came.
    [[nodiscard]] bool has_signal() const {
        std::array<pollfd, 2> watched{
            {{signals_.descriptor(), POLLIN, 0}, {over_.get(), POLLIN, 0}}};
        for (;;) {
            ::poll(watched.data(), watched.size(), -1);
            for (int signal = signals_.next(); signal != 0; signal = signals_.next())
                if (forwarded_signals::ends_wait(signal)) return true;
            if (watched[1].revents != 0) return false;
        }
    }

    client& servers_;
    const forwarded_signals& signals_;
    const support::descriptor over_;
    std::thread watcher_;
};

}  // namespace turnstile::cli
