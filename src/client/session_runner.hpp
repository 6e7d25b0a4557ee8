// SPDX-License-Identifier: Apache-2.0
// session_runner: connects one session_core with the outside: a lock, a timer, and the handle of the coordinator's
// session.
//
// All events enter through one function, `enter`. It locks, lets the core take a step, executes the core's actions,
// unlocks, and wakes the callers that have an outcome. User code runs on the callback queue. Opening and closing of
// handles may block for seconds and runs on workers. Stop callbacks of lost holds run on separate threads.
//
// Thread safety: all members from any thread. Lock order: this lock, then a hold's, then queues'.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <boost/container/flat_map.hpp>

#include "base/mutex.hpp"
#include "client/callback_queue.hpp"
#include "client/client_timers.hpp"
#include "client/commit_call.hpp"
#include "client/first_attach.hpp"
#include "client/lease_view.hpp"
#include "client/opened_session.hpp"
#include "client/question_table.hpp"
#include "client/session_call.hpp"
#include "client/session_news.hpp"
#include "client/session_room.hpp"
#include "client/worker_pool.hpp"
#include "core/lease/clock_watch.hpp"
#include "core/seam/coordinator.hpp"
#include "core/session/session_core.hpp"
#include "turnstile/client.hpp"
#include "turnstile/tools/session_secret.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile::detail {

// Counts events of a client's contenders, for client_counters.
struct contender_counts {
    std::atomic<std::uint64_t> entered{0};
    std::atomic<std::uint64_t> granted{0};
    std::atomic<std::uint64_t> failed{0};
    std::atomic<std::uint64_t> lost{0};
    std::atomic<std::uint64_t> gone{0};
    std::atomic<std::uint64_t> waited{0};  // once for each call

    // Counts the first znode of a call as `entered`. The other counters include only calls that have entered.
    void count_entry() noexcept { entered.fetch_add(1, std::memory_order_relaxed); }
    void count(const core::notice& news) noexcept;
};

class metrics_impl;
class outage_watch;
class runtime_impl;

// The objects that all sessions of a client share.
struct client_services {
    // The runtime whose threads the members below use. Null: each member has its own threads.
    std::shared_ptr<runtime_impl> runtime;
    std::shared_ptr<core::coordinator> servers;
    core::session_settings session;
    std::optional<core::clock_watch> wall_clock{};  // copied by each session; empty: not checked
    std::shared_ptr<callback_queue> callbacks;
    std::shared_ptr<client_timers> timers;
    std::shared_ptr<worker_pool> workers;         // for the library's own tasks
    std::shared_ptr<worker_pool> loss_callbacks;  // the user's stop callbacks of lost holds
    // Called under the session's lock, so it must only enqueue.
    std::function<void(const session_change&)> on_change;
    std::shared_ptr<outage_watch> outage;  // finds out why no session is attached
    contender_counts counts{};
    std::shared_ptr<metrics_impl> metrics;   // null: no metrics
    std::atomic<std::uint64_t> requests{0};  // passed to the servers' client

    // True on a thread that runs user code. A closing client waits for such threads.
    [[nodiscard]] bool on_user_thread() const;
    // Ends all threads, also after a failed start. `patience`: the longest wait for the executor.
    void end(std::chrono::milliseconds patience) const noexcept;
};

class session_runner final : public timer_thread::client,
                             public answer_reader,
                             public std::enable_shared_from_this<session_runner> {
public:
    session_runner(std::shared_ptr<client_services> services, core::session_core_settings settings);
    ~session_runner();
    session_runner(const session_runner&) = delete;
    session_runner& operator=(const session_runner&) = delete;

    // Opens the session in the caller's thread. Throws what the coordinator throws.
    void open();
    // Opens the session on a worker, without blocking. Repeats a failed attempt until it succeeds.
    void start_open();

    // ---- contenders ------------------------------------------------------------------------
    // Reserves room for a contender on `path`, until `acquire` or give_room_back() is called. Returns false if the
    // session is not among `which`, or if what it owns, will own and watches leaves no room.
    enum class among { connected, all_but_refused };
    [[nodiscard]] bool reserve(const std::string& path, const core::claim& wants, among which);
    // Gives back the reserved room of a call that will not follow.
    void give_room_back(const std::string& path, const core::claim& wants);
    // Returns a new number for a contender, an inquiry or a commit.
    template <class Id>
    [[nodiscard]] Id next_id() noexcept {
        return Id{next_id_.fetch_add(1) + 1};
    }
    void acquire(core::acquire&& message, const std::shared_ptr<session_call>& hold);
    // Starts several contenders, whose znodes enter their queues together, in this order.
    void acquire_together(const core::acquire_together& messages,
                          const std::vector<std::shared_ptr<session_call>>& holds);
    void cancel(core::awaited_id id, const error& why) noexcept;
    void leave(core::contender_id id, const error& why) noexcept;
    void leave_together(std::vector<core::contender_id>&& all, const error& why);
    void rename(core::contender_id id, core::contender_kind kind);

    // True if the session was opened before `then`, was never attached, and has refused no waiter yet
    // (late_sessions.hpp).
    [[nodiscard]] bool waits_for_its_first_attach(boottime_clock::time_point then) const;
    // Makes the session refuse its present and later waiters until it is attached. Does nothing if it was attached
    // before.
    void refuse_waiters(const error& why);
    [[nodiscard]] bool refuses() const {
        const base::lock_guard lock{mutex_};
        return first_attach_.refusal().has_value();
    }

    // ---- guarded writes (session_writes.cpp) ---------------------------------------------------
    // Write under a hold of this session, if the znodes `standing` of further holds exist. `commit` is a Boost
    // interruption point.
    result<commit_result> commit(core::contender_id hold, const transaction& writes,
                                 std::vector<std::string> standing, const commit_options& options);
    void async_commit(core::contender_id hold, const transaction& writes,
                      std::vector<std::string> standing, const commit_options& options,
                      commit_audience&& listeners);

    // ---- reads and repeated writes ----------------------------------------------------------
    // Sends `questions`, which are reads, and returns the answers in their order. A Boost interruption point.
    result<std::vector<core::reply>> read(std::vector<core::operation> questions,
                                          boottime_clock::time_point deadline,
                                          const std::stop_token& stop) {
        return inquire<core::read>(std::move(questions), deadline, stop);
    }
    // Sends writes, each again until it is answered. `only_on`: the only connection on which they may be sent
    // (core::repeated_write); 0: any.
    result<std::vector<core::reply>> write_repeatedly(std::vector<core::operation> writes,
                                                      boottime_clock::time_point deadline,
                                                      const std::stop_token& stop,
                                                      std::uint64_t only_on = 0) {
        return inquire<core::repeated_write>(std::move(writes), deadline, stop, only_on);
    }

    // ---- callers that wait -----------------------------------------------------------------
    [[nodiscard]] bool takes_help() const noexcept override { return takes_help_; }
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

    // ---- closing: these functions are called in this order ----------------------------------
    void start_close() noexcept;
    void wait_idle(boottime_clock::time_point deadline) noexcept;
    void finish_close() noexcept;

private:
    class link;
    class execution;
    // Returns the bytes that the contender's znode adds to what the session owns.
    [[nodiscard]] std::size_t room_of(const std::string& path, const core::claim& wants) const;
    void expect(const core::acquire& message, const std::shared_ptr<session_call>& hold)
        REQUIRES(mutex_);
    core::commit_id start_commit(core::contender_id hold, const transaction& writes,
                                 std::vector<std::string> standing, const commit_options& options,
                                 const std::shared_ptr<commit_call>& caller);
    void hand_over(core::commit&& message, const std::shared_ptr<commit_call>& caller);
    [[nodiscard]] result<commit_result> await_commit(core::commit_id id, commit_call& own);

    template <class F>
    void enter(F&& step);
    template <class Inquiry>
    result<std::vector<core::reply>> inquire(std::vector<core::operation> operations,
                                             boottime_clock::time_point deadline,
                                             const std::stop_token& stop,
                                             std::uint64_t only_on = 0);
    void look_at_wall_clock(boottime_clock::time_point now) REQUIRES(mutex_);
    void deliver(std::uint64_t epoch, core::coordinator_event&& event) noexcept;
    void execute() REQUIRES(mutex_);
    void on_answer(core::commit_answer& answer) REQUIRES(mutex_);
    void publish() REQUIRES(mutex_);

    void open_handle(std::uint64_t epoch);
    void open_failed(std::uint64_t epoch, const error& why);
    void await_handle(std::uint64_t epoch) noexcept;
    void opening_ended();
    void on_worker(std::function<void()> task);

    const std::shared_ptr<client_services> services_;
    const core::acl_policy acl_;
    const std::size_t chroot_;  // bytes
    const bool takes_help_;
    std::atomic<std::uint64_t> next_id_{0};

    mutable base::mutex mutex_;
    base::condition changed_;  // notified for the state, the handle and idleness
    core::session_core core_ GUARDED_BY(mutex_);
    std::optional<core::clock_watch> wall_clock_ GUARDED_BY(mutex_);
    std::vector<core::action> decided_ GUARDED_BY(mutex_);  // member, to reuse its memory
    opened_session current_ GUARDED_BY(mutex_);
    // The latest reason in the log why no session could be opened. The log gets each reason once; outage_watch reports
    // the length of the outage.
    std::string told_not_opened_ GUARDED_BY(mutex_);
    session_opening opening_;  // its lock-free part is atomic
    lease_of_epoch lease_ GUARDED_BY(mutex_);
    boost::container::flat_map<core::contender_id, std::shared_ptr<session_call>> holds_
        GUARDED_BY(mutex_);
    question_table questions_ GUARDED_BY(mutex_);
    std::map<core::commit_id, std::shared_ptr<commit_call>> writings_ GUARDED_BY(mutex_);
    boottime_clock::time_point armed_ GUARDED_BY(mutex_) = boottime_clock::time_point::max();
    bool closed_ GUARDED_BY(mutex_) = false;
    first_attach first_attach_ GUARDED_BY(mutex_);
    session_news news_ GUARDED_BY(mutex_);
    bool opens_inline_ GUARDED_BY(mutex_) = false;  // open() itself executes the action
    session_room room_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
