// SPDX-License-Identifier: Apache-2.0
// opened_session: a session that the coordinator has opened, and the `sink`: the object that receives its events.
//
//     session_opening   the epoch (the number) of the session that is being opened, if any
//     session_handle    the session that is open, if any, and the reason why none could be opened
//
// Thread safety: session_opening from any thread; the others are values under the session's lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"
#include "core/seam/coordinator.hpp"
#include "core/session/session_messages.hpp"
#include "turnstile/error.hpp"

namespace turnstile::detail {

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

}  // namespace turnstile::detail
