// SPDX-License-Identifier: Apache-2.0
// session_runner: runs one session_core, with a lock, a timer, and the handle of the coordinator's session.
//
// After open() all events enter through one function, enter(). This function locks the mutex, lets the core take a
// step, executes the core's actions, unlocks the mutex, and wakes the callers that have an outcome. User code runs on
// the callback queue. Workers open and close handles, because this may take seconds. Stop callbacks of lost holds run
// on separate threads.
//
// Thread safety: all members from any thread. Lock order: this lock, then the lock of a hold, then the
// locks of the queues.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "client/client_services.hpp"
#include "client/commit_call.hpp"
#include "client/session_calls.hpp"
#include "client/session_parts.hpp"
#include "core/session/session_core.hpp"
#include "turnstile/client.hpp"
#include "turnstile/tools/session_secret.hpp"

namespace turnstile::detail {

class session_runner final : public timer_thread::client,
                             public answer_reader,
                             public std::enable_shared_from_this<session_runner> {
public:
    session_runner(std::shared_ptr<client_services> services,
                   const core::session_core_settings& settings);

    // Opens the first session in the caller's thread. Throws what the coordinator throws. The event core::start instead
    // opens the session on a worker, and repeats the attempt until it succeeds.
    void open();
    // Passes an event to the core. Use this function only for events without a new caller: start, leave,
    // leave_together, cancel, rename, or close.
    void tell(const core::input& event) noexcept;

    // ---- contenders ------------------------------------------------------------------------
    // Reserves room for a contender on `path` until `acquire` is called. Returns false if the paths that the session
    // owns, will own or watches have too many bytes. Also returns false if the session refuses all waiters
    // (refuse_waiters()), or if its state is not `needed`.
    [[nodiscard]] bool reserve(const std::string& path, const core::claim& wants,
                               std::optional<session_state> needed = {});
    // Frees reserved room, because no call of `acquire` will follow.
    void give_room_back(const std::string& path, const core::claim& wants);
    template <class Id>
    [[nodiscard]] Id next_id() noexcept {
        return Id{next_id_.fetch_add(1) + 1};
    }
    void acquire(core::acquire&& message, const std::shared_ptr<session_call>& hold);
    // Starts several contenders, whose znodes enter their queues together, in this order.
    void acquire_together(const core::acquire_together& messages,
                          const std::vector<std::shared_ptr<session_call>>& holds);

    // Returns whether the session has ever been attached, and whether it refuses its waiters (late_sessions).
    [[nodiscard]] first_attach attach() const {
        const base::lock_guard lock{mutex_};
        return first_attach_;
    }
    // Refuses all present and later waiters of this session until it is attached. Does nothing if it has been attached.
    void refuse_waiters(const error& why);

    // ---- writes and queries ----------------------------------------------------------------
    // Commits under a hold of this session. Without a deadline, the session timeout limits the commit.
    void commit(core::commit&& message, const std::shared_ptr<commit_call>& caller);
    // Carries out operations of callers without a hold. Returns the answers in the order of the operations. A Boost
    // interruption point. `Inquiry`: core::read for reads; core::repeated_write for writes, each sent again until it is
    // answered. With `only_on`, sends the writes only on that connection.
    template <class Inquiry>
    result<std::vector<core::reply>> inquire(std::vector<core::operation> operations,
                                             boottime_clock::time_point deadline,
                                             const std::stop_token& stop,
                                             std::uint64_t only_on = 0);

    // ---- callers that wait -----------------------------------------------------------------
    [[nodiscard]] bool takes_help() const noexcept override {
        return services_->servers->takes_help();
    }
    [[nodiscard]] bool help(boottime_clock::time_point until) noexcept override;

    // ---- the session -----------------------------------------------------------------------
    [[nodiscard]] session_info info() const;
    // Returns the timeout that the servers granted last.
    [[nodiscard]] boottime_clock::duration session_timeout() const {
        const base::lock_guard lock{mutex_};
        return core_.session_lease().timeout();
    }
    [[nodiscard]] session_secret secret() const;
    [[nodiscard]] bool has_left(std::int64_t session) const {
        const base::lock_guard lock{mutex_};
        return core_.has_left(session);
    }
    [[nodiscard]] session_state state() const;
    // Blocks until `good(state)` is true, or until the deadline. Returns the latest state.
    session_state wait_state(const std::function<bool(session_state)>& good,
                             boottime_clock::time_point deadline);

    [[nodiscard]] const client_services& services() const noexcept { return *services_; }
    void on_timer() override;

    // ---- closing, in this order, after the event core::close -------------------------------
    void wait_idle(boottime_clock::time_point deadline) noexcept;
    void finish_close() noexcept;

private:
    class link;
    class execution;

    template <class F>
    void enter(F&& step);
    void deliver(std::uint64_t epoch, core::coordinator_event&& event) noexcept;
    // Executes the actions of the core and arms the timer. Returns the number (epoch) of the session to open, if any.
    std::optional<std::uint64_t> execute() REQUIRES(mutex_);
    void open_handle(std::uint64_t epoch);
    void try_to_open(std::uint64_t epoch);

    const std::shared_ptr<client_services> services_;
    std::atomic<std::uint64_t> next_id_{0};
    session_opening opening_;  // has its own lock

    mutable base::mutex mutex_;
    base::condition_variable changed_;  // the state has changed, or the session is idle
    core::session_core core_ GUARDED_BY(mutex_);
    std::optional<core::clock_watch> wall_clock_ GUARDED_BY(mutex_);
    std::vector<core::action> decided_ GUARDED_BY(mutex_);  // member, to reuse its memory
    session_handle current_ GUARDED_BY(mutex_);
    lease_of_epoch lease_ GUARDED_BY(mutex_);
    session_calls calls_ GUARDED_BY(mutex_);
    question_table questions_ GUARDED_BY(mutex_);
    boottime_clock::time_point armed_ GUARDED_BY(mutex_) = boottime_clock::time_point::max();
    first_attach first_attach_ GUARDED_BY(mutex_);
    session_room room_ GUARDED_BY(mutex_);
    open_commits commits_ GUARDED_BY(mutex_){room_};
};

}  // namespace turnstile::detail
