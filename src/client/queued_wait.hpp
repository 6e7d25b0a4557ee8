// SPDX-License-Identifier: Apache-2.0
// queued_wait: a thread that waits for an asynchronous acquisition, and now and then looks around.
//
// The acquisition tells it the place in the queue and the outcome; the thread wakes for the outcome, or
// when the place has been the same for a while. A thread that stops waiting closes it: an outcome that comes
// later is dropped, which releases the hold.
//
//     auto mine = std::make_shared<queued_wait>();
//     lock.async_acquire(mine->options(std::move(options)), mine->handler());
//     while (mine->wait(1s) == queued_wait::woken_by::unchanged_place) look();
//
// Thread safety: one thread waits; what it is told may come from any thread.
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

    // `options` with the stop token and the callbacks of a waiter going through this; their own are kept.
    [[nodiscard]] acquire_options options(acquire_options given);
    [[nodiscard]] std::function<void(result<guard>)> handler();

    // A Boost interruption point. At `end` it wakes in any case.
    [[nodiscard]] woken_by wait(boottime_clock::duration unchanged_for,
                                std::optional<boottime_clock::time_point> end);
    // Asks the acquisition to end, and waits for the outcome, which may be a grant nevertheless.
    [[nodiscard]] result<guard> cancel();
    // Ends the acquisition and waits for nothing but a callback that is under way.
    void abandon();
    // After woken_by::outcome. Success only while it is valid: the thread may have woken late.
    [[nodiscard]] result<guard> take();
    // The latest that it was told to have entered the queue by; empty before that.
    [[nodiscard]] std::string znode() const;
    // Triggered by the outcome.
    [[nodiscard]] std::stop_token answered() const noexcept { return answered_.get_token(); }

private:
    // False: the wait is over, and nothing is told any more.
    [[nodiscard]] bool begin_telling();
    void tell(const std::function<void()>& callback);
    void tell_znode(const std::string& znode);
    void tell_place(std::size_t ahead);
    void arrive(result<guard>&& outcome);

    std::stop_source cancel_;
    std::stop_source answered_;
    // The caller's.
    callback<void(const std::string&)> on_entered_;
    callback<void(std::size_t)> on_queued_;
    std::optional<std::stop_callback<std::function<void()>>> stop_;

    mutable base::mutex mutex_;
    base::condition changed_;
    std::optional<result<guard>> outcome_ GUARDED_BY(mutex_);
    std::string znode_ GUARDED_BY(mutex_);
    std::optional<std::size_t> ahead_ GUARDED_BY(mutex_);
    boottime_clock::time_point unchanged_since_ GUARDED_BY(mutex_);
    bool over_ GUARDED_BY(mutex_) = false;
    bool telling_ GUARDED_BY(mutex_) = false;
};

}  // namespace turnstile::detail
