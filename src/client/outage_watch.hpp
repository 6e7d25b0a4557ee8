// SPDX-License-Identifier: Apache-2.0
// outage_watch: finds out why no session of the client is attached. The errors of callers name the cause, and the log
// reports it, so that a program that waits for a lock is not silent.
//
// An outage begins when the client's last attached session is detached, or when the client starts. The cause is the
// latest failed attempt to attach (core::coordinator::last_failure). Some back ends, such as ZooKeeper's client,
// reconnect by themselves and know no cause. Then outage_watch asks the servers (core::coordinator::diagnose): a moment
// after the last session was detached, and again after pauses that double up to a minute. At the client's start it does
// not ask, because the first attempt to attach finds the cause. The log gets a line after `patience`, after another
// minute, and then every five minutes. It gets another line when a session is attached again.
//
//     with_cause()   adds the cause to the error of a caller
//
// Thread safety: all members from any thread. `on_change` may be called under a session's lock.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/mutex.hpp"
#include "client/timer_thread.hpp"
#include "client/worker_pool.hpp"
#include "core/seam/coordinator.hpp"
#include "turnstile/error.hpp"
#include "turnstile/session_state.hpp"

namespace turnstile::detail {

// True if the error says only that there is no session (`not_connected`, `auth_failed`), or that the chroot is missing.
[[nodiscard]] bool lacks_cause(const error& why) noexcept;

//     with_cause({errc::not_connected, "/locks/a, at redis://a:6379"}, "redis://a:6379", cause)
//     // no server could be used in time: /locks/a, at redis://a:6379 (Connection refused)
//
// If lacks_cause(away), returns the error with the cause's code, and with the cause's text appended in brackets.
// `auth_failed` keeps its code. A `no_chroot` error also gets the servers' name, which contains the chroot. Returns any
// other error unchanged.
[[nodiscard]] error with_cause(const error& away, const std::string& servers,
                               const std::optional<error>& cause);

class outage_watch final : public timer_thread::client {
public:
    static constexpr std::chrono::seconds k_patience{5};
    // Time from the start of an outage to the first question to the servers. Usually a session reconnects in this time.
    static constexpr std::chrono::milliseconds k_first_question{250};

    // `timers` calls this object until timers.stop() has returned. Both objects must live until then.
    outage_watch(client_timers& timers, std::shared_ptr<worker_pool> workers,
                 std::shared_ptr<core::coordinator> servers,
                 boottime_clock::duration patience = k_patience);
    outage_watch(const outage_watch&) = delete;
    outage_watch& operator=(const outage_watch&) = delete;
    ~outage_watch() = default;

    // Handles a change of a session. Returns true if an outage begins.
    bool on_change(const session_change& step);
    // Called when a session could not be opened, because no address, thread or descriptor was available.
    void on_open_failed(const error& why);
    // Asks the servers for the cause of the outage, unless the cause is known. A worker asks, because this may block.
    void ask();
    // Adds the cause of the outage, if it is known, to the error of a caller without a session (with_cause()).
    [[nodiscard]] error explain(const error& away) const;
    // Returns the length of the present outage; zero if there is none.
    [[nodiscard]] boottime_clock::duration length(boottime_clock::time_point now) const;
    void on_timer() override;

private:
    [[nodiscard]] bool is_attached() const REQUIRES(mutex_);
    [[nodiscard]] bool has_ended() const REQUIRES(mutex_);
    [[nodiscard]] std::optional<error> cause() const REQUIRES(mutex_);
    void begin(boottime_clock::time_point now) REQUIRES(mutex_);
    void end(boottime_clock::time_point now) REQUIRES(mutex_);
    void tell(boottime_clock::time_point now) REQUIRES(mutex_);
    void start_question() REQUIRES(mutex_);
    // Returns the cause as text for the log. Runs on a worker, since it may ask the servers, which may take a second.
    [[nodiscard]] std::string learn_cause(unsigned outage);

    client_timers& timers_;
    const std::shared_ptr<worker_pool> workers_;
    const std::shared_ptr<core::coordinator> servers_;
    const boottime_clock::duration patience_;

    mutable base::mutex mutex_;
    std::map<unsigned, session_state> states_ GUARDED_BY(mutex_);  // by session
    bool outage_ GUARDED_BY(mutex_) = false;
    unsigned outages_ GUARDED_BY(mutex_) = 0;          // number of outages so far
    std::optional<error> learned_ GUARDED_BY(mutex_);  // cause: from diagnose() or a failed open
    bool asking_ GUARDED_BY(mutex_) = false;
    boottime_clock::duration pause_ GUARDED_BY(mutex_){};  // time until the next question
    boottime_clock::time_point ask_at_ GUARDED_BY(mutex_);
    boottime_clock::time_point since_ GUARDED_BY(mutex_);
    boottime_clock::time_point due_ GUARDED_BY(mutex_);  // the time of the next log line
    unsigned told_ GUARDED_BY(mutex_) = 0;               // number of log lines in this outage
};

}  // namespace turnstile::detail
