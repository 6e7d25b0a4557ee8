// SPDX-License-Identifier: Apache-2.0
// session_parts: parts of the state of a session_runner, each with its own rules.
//
//     first_attach        whether the session was ever attached to a server
//     lease_view          the lease of the session, for guards that read it without a lock
//     lease_of_epoch      the view of the present epoch
//     opened_session      a session that the coordinator has opened, and the object that receives its events
//     session_opening     the epoch (the number) of the session that is being opened, if any
//     session_handle      the session that is open, if any, and the reason why none could be opened
//     question_group      the reads and writes of one caller that has no hold
//     question_table      reads and writes without a hold that have no answer yet
//     session_room        how many bytes the session owns at the servers
//
// Thread safety: values under the session's lock, except session_opening (any thread) and lease_view (any number of
// readers and one writer at a time).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/thread/thread.hpp>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "client/caller_help.hpp"
#include "core/lease/lease.hpp"
#include "core/seam/coordinator.hpp"
#include "core/session/session_messages.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// Records whether a session was ever attached to a server. A session whose first attach takes too long refuses its
// waiters (late_sessions in session_pool.hpp). The first_attach object then has the error for these waiters.
//
// | state    | next state: the call that causes it     |
// |----------|-----------------------------------------|
// | expected | refused: refuse(); attached: attach()   |
// | refused  | attached: attach()                      |
// | attached | none, even if the session is lost       |
class first_attach {
public:
    explicit first_attach(boottime_clock::time_point expected_since)
        : expected_since_{expected_since} {}

    // True if the session has waited for its first attach since `then` or longer, and has refused no waiter yet.
    [[nodiscard]] bool is_expected_since(boottime_clock::time_point then) const {
        return !attached_ && !refusal_ && expected_since_ <= then;
    }
    // Returns the error for all present and later waiters of this session; nothing if they are not refused.
    [[nodiscard]] const std::optional<error>& refusal() const noexcept { return refusal_; }

    // Makes the session refuse its waiters. Returns false, and changes nothing, if the session was attached before.
    [[nodiscard]] bool refuse(const error& why) {
        if (attached_) return false;
        refusal_ = why;
        return true;
    }
    void attach() {
        attached_ = true;
        refusal_.reset();
    }

private:
    boottime_clock::time_point expected_since_;
    bool attached_ = false;
    std::optional<error> refusal_;
};

// Publishes the lease of a session, so that guards can read the lease without a lock. A session at the servers has one
// view for its whole epoch, the time from its opening until its end.
class lease_view {
public:
    void publish(const core::lease& lease) noexcept {
        evidence_.store(static_cast<int>(lease.rests_on()), std::memory_order_relaxed);
        valid_until_.store(lease.valid_until().time_since_epoch().count(),
                           std::memory_order_release);
    }
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept {
        return boottime_clock::time_point{
            boottime_clock::duration{valid_until_.load(std::memory_order_acquire)}};
    }
    [[nodiscard]] lease_evidence evidence() const noexcept {
        return static_cast<lease_evidence>(evidence_.load(std::memory_order_relaxed));
    }

private:
    static_assert(static_cast<int>(core::evidence::direct) ==
                  static_cast<int>(lease_evidence::direct));
    static_assert(static_cast<int>(core::evidence::assumed) ==
                  static_cast<int>(lease_evidence::assumed));
    std::atomic<boottime_clock::rep> valid_until_{
        boottime_clock::time_point::min().time_since_epoch().count()};
    std::atomic<int> evidence_{static_cast<int>(lease_evidence::relayed)};
};

class lease_of_epoch {
public:
    // Publishes the lease. For a new epoch (session), makes a new view; guards of earlier epochs keep their view.
    void publish(std::uint64_t epoch, const core::lease& lease) {
        if (std::exchange(epoch_, epoch) != epoch) view_ = std::make_shared<lease_view>();
        view_->publish(lease);
    }
    [[nodiscard]] const std::shared_ptr<lease_view>& view() const noexcept { return view_; }

private:
    std::uint64_t epoch_ = 0;
    std::shared_ptr<lease_view> view_ = std::make_shared<lease_view>();
};

// A session that the coordinator has opened, and the `sink`: the object that receives its events.
struct opened_session {
    std::shared_ptr<core::session_sink> sink;           // must outlive the handle, which calls it
    std::shared_ptr<core::coordinator_session> handle;  // callers that help the session share it

    // Closes the session, if there is one. May block for seconds.
    void close(core::close_session::how manner) noexcept {
        if (!handle) return;
        if (manner == core::close_session::how::orderly) {
            handle->close();
        } else {
            handle->abandon();
        }
        handle.reset();
    }
};

class session_opening {
public:
    // True while the coordinator opens the session with this number (epoch). The session's first events may come before
    // coordinator::open() returns.
    [[nodiscard]] bool is_for(std::uint64_t epoch) const noexcept { return epoch_ == epoch; }
    void begin(std::uint64_t epoch) noexcept {
        const base::lock_guard lock{mutex_};
        epoch_ = epoch;
    }
    // Called when the coordinator has returned the session with this number (epoch), or has thrown an exception.
    void end(std::uint64_t epoch) noexcept {
        const base::lock_guard lock{mutex_};
        if (is_for(epoch)) epoch_ = k_none;
        ended_.notify_all();
    }
    // Waits until the coordinator no longer opens the session with this number (epoch). Takes no lock if the
    // coordinator opens another session or none.
    void await_end(std::uint64_t epoch) noexcept {
        if (!is_for(epoch)) return;
        const boost::this_thread::disable_interruption uninterrupted;
        base::unique_lock lock{mutex_};
        while (is_for(epoch)) ended_.wait(lock);
    }

private:
    static constexpr std::uint64_t k_none = 0;  // the first epoch is 1

    base::mutex mutex_;  // taken for each change of `epoch_`, so that no waiter misses the change
    std::atomic<std::uint64_t> epoch_{k_none};
    base::condition_variable ended_;
};

class session_handle {
public:
    // Returns the open session; null if no session is open.
    [[nodiscard]] const std::shared_ptr<core::coordinator_session>& session() const noexcept {
        return session_.handle;
    }
    // Exchanges `opened` with the stored session. After close(), exchanges nothing. In both cases the caller must close
    // the session that `opened` then contains.
    void replace(opened_session& opened) noexcept {
        told_not_opened_.clear();
        if (!closed_) std::swap(session_, opened);
    }
    // Removes and returns the session, which the caller must close.
    [[nodiscard]] opened_session take() noexcept { return std::exchange(session_, {}); }
    // Like take(). Afterwards replace() stores no session any more.
    [[nodiscard]] opened_session close() noexcept {
        closed_ = true;
        return take();
    }
    [[nodiscard]] bool is_closed() const noexcept { return closed_; }
    // Called after a failed attempt to open a session. Returns true if the error differs from the error of the attempt
    // before, or if this is the first failure since a session was opened. Only then the log reports the error.
    [[nodiscard]] bool fails_anew(const error& why) {
        return std::exchange(told_not_opened_, why.message()) != told_not_opened_;
    }

private:
    opened_session session_;
    bool closed_ = false;
    std::string told_not_opened_;
};

// Reads and writes that one caller makes without a hold. The object is on the caller's stack, and the caller wakes when
// all of them are answered.
class question_group {
public:
    explicit question_group(std::size_t questions) : answers_(questions), missing_{questions} {}

    [[nodiscard]] bool is_answered() const noexcept { return missing_ == 0; }
    void answer(std::size_t place, std::variant<core::reply, error>&& outcome) {
        answers_[place] = std::move(outcome);
        if (--missing_ == 0) answered_.notify_all();
    }
    // Blocks until all reads and writes of the group are answered. A Boost interruption point.
    void await(base::unique_lock& session, caller_help& help) {
        while (!is_answered())
            if (!help.go_on(session)) answered_.wait(session);
    }
    // Returns the replies in the order of the caller's reads or writes, or the first error.
    [[nodiscard]] result<std::vector<core::reply>> take_replies() {
        std::vector<core::reply> replies;
        for (auto& answer : answers_) {
            if (auto* why = std::get_if<error>(&*answer)) return std::move(*why);
            replies.push_back(std::get<core::reply>(std::move(*answer)));
        }
        return replies;
    }

private:
    std::vector<std::optional<std::variant<core::reply, error>>> answers_;
    std::size_t missing_;
    base::condition_variable answered_;
};

class question_table {
public:
    void add(core::inquiry_id question, question_group& caller, std::size_t place) {
        open_.emplace(question, asked{&caller, place});
    }
    // Passes the answer to its caller. If the id is not in the table, no caller waits for the answer any more.
    void answer(core::answer& message) {
        if (const auto found = open_.extract(message.id))
            found.mapped().caller->answer(found.mapped().place, std::move(message.outcome));
    }

private:
    struct asked {
        question_group* caller = nullptr;
        std::size_t place = 0;
    };
    std::map<core::inquiry_id, asked> open_;
};

// Counts the bytes that a session owns at the servers, and refuses more than the limit.
//
// When a session ends, the servers put all znodes of the session into one transaction, and they cannot read back a
// transaction that is too long (docs/reference/failures.md, F38). The core counts the znodes of contenders. This class
// counts the rest: the room that calls have reserved before they reach the core, and the ephemeral znodes of commits.
// It counts only commits of this epoch (the life of one session), also commits whose outcome is unknown.
class session_room {
public:
    // Far below the servers' limit for a transaction, 1 MiB by default. The limit is so low because the watches of the
    // session's waiters must fit into one packet, too (core::watch_limits).
    static constexpr std::size_t k_most_owned = std::size_t{128} * 1024;

    // Starts again at zero for a new session at the servers (epoch), which owns no znodes of earlier commits.
    void enter_epoch(std::uint64_t epoch) {
        if (std::exchange(epoch_, epoch) != epoch) written_ = 0;
    }
    // Reserves room for `bytes` bytes of znodes. Returns false if the session would then own more than k_most_owned
    // bytes. `owned`: the bytes of the contenders' znodes, which the core counts.
    [[nodiscard]] bool reserve(std::size_t bytes, std::size_t owned) {
        if (owned + reserved_ + written_ + bytes > k_most_owned) return false;
        reserved_ += bytes;
        return true;
    }
    // Called when the core begins to count the bytes that were reserved.
    void hand_over(std::size_t bytes) {
        TURNSTILE_CHECK(reserved_ >= bytes);
        reserved_ -= bytes;
    }
    // Counts `bytes` bytes: the ephemeral znodes that a commit creates. Returns false, and counts nothing, if the
    // session would then own more than k_most_owned bytes.
    [[nodiscard]] bool write(std::size_t bytes, std::size_t owned) {
        if (bytes != 0 && owned + reserved_ + written_ + bytes > k_most_owned) return false;
        written_ += bytes;
        return true;
    }
    // Called if a commit certainly wrote nothing: subtracts the commit's bytes from the count. If the same step of the
    // core has begun the next session (epoch), the count started again at zero, and may be smaller than `bytes`.
    void take_back(std::size_t bytes) { written_ -= std::min(written_, bytes); }

private:
    std::size_t reserved_ = 0;
    std::size_t written_ = 0;
    std::uint64_t epoch_ = 0;
};

}  // namespace turnstile::detail
