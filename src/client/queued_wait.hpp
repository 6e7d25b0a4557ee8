// SPDX-License-Identifier: Apache-2.0
// queued_wait: lets a thread wait for an asynchronous call, and wakes the thread from time to time.
//
// The call reports its position in the queue and its outcome. The thread wakes for the outcome, or when the position
// has not changed for a while. A thread that stops waiting calls cancel() or abandon(). An outcome after abandon() is
// dropped, which releases the hold.
//
//     auto mine = std::make_shared<queued_wait>();
//     lock.async_acquire(mine->options(std::move(options)), mine->handler());
//     while (mine->wait(1s) == queued_wait::woken_by::unchanged_place) read_queue();
//
// Thread safety: one thread waits; the call may report from any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

class queued_wait : public std::enable_shared_from_this<queued_wait> {
public:
    enum class woken_by { outcome, unchanged_place, interruption, end };

    // Returns the options `given` with a stop token of this object. The callbacks in the returned options notify this
    // object, and then call the callbacks of `given`.
    [[nodiscard]] acquire_options options(acquire_options given);
    [[nodiscard]] std::function<void(result<guard>)> handler();

    // Waits until the outcome comes, until the position has not changed for `unchanged_for`, or until `end`. A Boost
    // interruption point.
    [[nodiscard]] woken_by wait(boottime_clock::duration unchanged_for,
                                std::optional<boottime_clock::time_point> end);
    // Requests the end of the call, and waits for its outcome. The outcome may still be a grant.
    [[nodiscard]] result<guard> cancel();
    // Ends the call without waiting for the outcome. Waits only for a callback that is running.
    void abandon();
    // Returns the outcome; call it after woken_by::outcome. If the hold has ended before the thread woke, returns the
    // reason.
    [[nodiscard]] result<guard> take();
    // Returns the znode of the call's latest entry into the queue; empty if it has not entered.
    [[nodiscard]] std::string znode() const;
    // Returns a token whose stop is requested when the outcome comes.
    [[nodiscard]] std::stop_token answered() const noexcept { return answered_.get_token(); }

private:
    // Called before a callback of the user runs. Returns false if the wait has ended: then the callback must not run.
    [[nodiscard]] bool begin_telling();
    void tell(const std::function<void()>& callback);
    void tell_znode(const std::string& znode);
    void tell_place(std::size_t ahead);
    void arrive(result<guard>&& outcome);

    std::stop_source cancel_;
    std::stop_source answered_;
    callback<void(const std::string&)> on_entered_;
    callback<void(std::size_t)> on_queued_;
    std::optional<std::stop_callback<std::function<void()>>> stop_;

    mutable base::mutex mutex_;
    base::condition_variable changed_;
    std::optional<result<guard>> outcome_ GUARDED_BY(mutex_);
    std::string znode_ GUARDED_BY(mutex_);
    std::optional<std::size_t> ahead_ GUARDED_BY(mutex_);
    boottime_clock::time_point unchanged_since_ GUARDED_BY(mutex_);
    bool over_ GUARDED_BY(mutex_) = false;
    bool telling_ GUARDED_BY(mutex_) = false;
};

}  // namespace turnstile::detail
