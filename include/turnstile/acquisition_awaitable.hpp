// SPDX-License-Identifier: Apache-2.0
// acquisition_awaitable: the operand of `co_await` for an asynchronous call of this library.
//
// The functions of coroutine.hpp and async_call.hpp return this object. Make one yourself only for a function of your
// program that takes options and a handler for the outcome:
//
//     const auto start = [&](auto options, auto handler) { m.async_acquire(options, handler); };
//     auto hold = co_await turnstile::acquisition_awaitable<turnstile::result<turnstile::guard>>{
//         start, patient, pool};
//
// coroutine.hpp states the guarantees for the coroutine; this file implements them. Each acquisition has one state
// object, which owns the outcome. The coroutine, the lock's handler and the executor's task share that object:
//
// | stage    | meaning                               | next stage                                       |
// |----------|---------------------------------------|--------------------------------------------------|
// | starting | the lock's function is being called   | waiting; posted, if the outcome came meanwhile   |
// | waiting  | no outcome yet                        | posted                                           |
// | posted   | the executor has the task             | resumed, if the task runs; otherwise over        |
// | resumed  | the coroutine takes the outcome       |                                                  |
// | over     | nothing will take the outcome         |                                                  |
//
// If the coroutine is destroyed in a stage other than `resumed`, the stage becomes `over`. The state object then
// destroys its outcome at once, which releases the hold. It does the same with an outcome that arrives later. The
// executor's task never contains the outcome.
//
// Thread safety: only the coroutine's thread uses an awaitable.
#pragma once

#include "turnstile/language.hpp"

#include <concepts>
#include <coroutine>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>
#include <string_view>
#include <utility>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client_options.hpp"
#include "turnstile/error.hpp"
#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

namespace detail {

// Logs the exception that is being handled, which an executor threw, and the `consequence` of the exception.
TURNSTILE_EXPORT void report_failed_executor(std::string_view consequence) noexcept;
// Ends the process, because there is no memory for the executor's task, and the coroutine would wait for ever.
[[noreturn]] TURNSTILE_EXPORT void end_without_delivery() noexcept;

// Replaces a hold by an error if the hold was lost before the coroutine got it.
template <class Outcome>
void tell_loss(Outcome& outcome) {
    if constexpr (requires { outcome->status().error(); }) {
        if (outcome)
            if (const auto still = outcome->status(); !still) outcome = still.error();
    } else if constexpr (requires { outcome.outcome = outcome.hold.status(); }) {
        if (outcome.outcome) outcome.outcome = outcome.hold.status();
    }
}

struct forward_stop {
    std::stop_source to;
    void operator()() const {
        auto kept = to;  // the stop may destroy the coroutine and this callback
        kept.request_stop();
    }
};

// The state object of an acquisition. The table at the top of this file has its stages. Thread safety: any thread may
// call any member, but only the coroutine calls suspend(), take() and abandon().
template <class Outcome>
class awaited_acquisition : public std::enable_shared_from_this<awaited_acquisition<Outcome>> {
public:
    using handler = std::function<void(Outcome)>;
    using start_function = std::function<void(acquire_options, handler)>;

    awaited_acquisition(start_function start, const acquire_options& options, executor resume_on)
        : start_{std::move(start)}, options_{options}, executor_{std::move(resume_on)} {}

    // Starts the call. When suspend() returns, the coroutine may have been resumed and destroyed.
    void suspend(std::coroutine_handle<> waiter) {
        // The coroutine may release this object before suspend() returns.
        const auto self = this->shared_from_this();
        waiter_ = waiter;
        listen();
        try {
            start_(std::move(options_), [self](Outcome outcome) { self->arrive(outcome); });
        } catch (...) {
            static_cast<void>(end(stage::starting));
            throw;
        }
        start_returned();
    }

    // The coroutine calls take() after the executor's task, or the coroutine's owner, has resumed the coroutine.
    Outcome take() {
        if (!resumed()) {
            abandon();
            return Outcome{
                error{errc::cancelled, "the coroutine was resumed before the outcome was there"}};
        }
        stop_.reset();
        auto outcome = std::move(*outcome_);
        tell_loss(outcome);
        return outcome;
    }

    // Called when the coroutine is destroyed or continues.
    void abandon() noexcept {
        stop_.reset();
        if (end(stage::starting)) cancel_.request_stop();
    }

private:
    enum class stage { starting, waiting, posted, resumed, over };  // in this order

    // The executor's task. If all copies of the task are destroyed and no copy has run, the acquisition ends.
    class delivery {
    public:
        explicit delivery(std::shared_ptr<awaited_acquisition> to) : to_{std::move(to)} {}
        ~delivery() { static_cast<void>(to_->end(stage::posted)); }
        delivery(const delivery&) = delete;
        delivery& operator=(const delivery&) = delete;
        void run() const { to_->resume(); }

    private:
        const std::shared_ptr<awaited_acquisition> to_;
    };

    void listen() {
        if (options_.stop.stop_possible())
            stop_.emplace(std::exchange(options_.stop, {}), forward_stop{cancel_});
        options_.stop = cancel_.get_token();
    }

    // Keeps only the first outcome. A resumed coroutine may destroy the lock, so this object does not resume the
    // coroutine before the lock's function has returned.
    void arrive(Outcome& outcome) {
        {
            const std::lock_guard lock{mutex_};
            if (outcome_ || (stage_ != stage::starting && stage_ != stage::waiting)) return;
            outcome_.emplace(std::move(outcome));
            if (stage_ == stage::starting) return;
            stage_ = stage::posted;
        }
        post();
    }

    void start_returned() {
        {
            const std::lock_guard lock{mutex_};
            if (stage_ != stage::starting) return;
            stage_ = outcome_ ? stage::posted : stage::waiting;
            if (!outcome_) return;
        }
        post();
    }

    // Passes the task to the executor, and handles the executor's exceptions. The coroutine's thread calls post() if
    // the outcome came before the lock's function returned; otherwise a thread of the client calls it.
    void post() noexcept {
        // The executor is moved out of this object first. Otherwise an executor that keeps the task for ever would keep
        // itself alive through this object.
        const auto run = std::exchange(executor_, nullptr);
        std::shared_ptr<const delivery> parcel;
        std::function<void()> task;
        try {
            parcel = std::make_shared<const delivery>(this->shared_from_this());
            task = [parcel] { parcel->run(); };
        } catch (const std::bad_alloc&) {
            end_without_delivery();
        }
        try {
            run(std::move(task));
        } catch (...) {
            report_failed_executor(
                end(stage::posted) ? "what was acquired is released, the coroutine stays suspended"
                                   : "the task had run");
        }
    }

    void resume() {
        std::coroutine_handle<> waiter;
        {
            const std::lock_guard lock{mutex_};
            if (stage_ != stage::posted) return;
            stage_ = stage::resumed;
            waiter = waiter_;
        }
        waiter.resume();
    }

    [[nodiscard]] bool resumed() const {
        const std::lock_guard lock{mutex_};
        return stage_ == stage::resumed;
    }

    // Changes the stage to `over`, unless the stage is `resumed`, `over`, or before `from`. Returns true if the stage
    // has changed. Destroys the outcome after the mutex is unlocked, because the end of a hold is a call into the
    // library.
    [[nodiscard]] bool end(stage from) noexcept {
        std::optional<Outcome> unclaimed;
        const std::lock_guard lock{mutex_};
        if (stage_ < from || stage_ > stage::posted) return false;
        stage_ = stage::over;
        unclaimed.swap(outcome_);
        return true;
    }

    const start_function start_;
    acquire_options options_;
    executor executor_;        // empty after its call
    std::stop_source cancel_;  // triggered by the user's stop token and by the end of the coroutine
    std::optional<std::stop_callback<forward_stop>> stop_;
    std::coroutine_handle<> waiter_;  // written before the start

    mutable std::mutex mutex_;
    stage stage_ = stage::starting;  // guarded by mutex_
    // Guarded by mutex_ until the stage `resumed`. From then on only the coroutine uses the outcome.
    std::optional<Outcome> outcome_;
};

}  // namespace detail

// The operand of `co_await`. `Outcome` is the type that the handler gets: result<guard>, or another type that is
// constructible from an error.
template <std::constructible_from<error> Outcome>
class [[nodiscard]] acquisition_awaitable {
    using state = detail::awaited_acquisition<Outcome>;

public:
    // Makes an awaitable; the call starts at the co_await. Throws std::system_error(bad_option) if `resume_on` is
    // empty, because nothing could resume the coroutine.
    template <std::same_as<executor> E>
    acquisition_awaitable(typename state::start_function start, const acquire_options& options,
                          E resume_on) {
        if (!resume_on) throw_error({errc::bad_option, "async_acquire: the executor is empty"});
        state_ = std::make_shared<state>(std::move(start), options, std::move(resume_on));
    }

    // The awaiter, whose functions co_await calls.
    class awaiter {
    public:
        // Awaits the call whose state object is `acquisition`.
        explicit awaiter(std::shared_ptr<state> acquisition) : state_{std::move(acquisition)} {}
        ~awaiter() { state_->abandon(); }
        awaiter(const awaiter&) = delete;
        awaiter& operator=(const awaiter&) = delete;

        // co_await calls these functions; `waiter` is the coroutine. The coroutine always suspends, and await_resume()
        // returns the outcome.
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> waiter) { state_->suspend(waiter); }
        Outcome await_resume() { return state_->take(); }

    private:
        const std::shared_ptr<state> state_;
    };

    // Throws std::system_error(bad_option) if the awaitable was already awaited or moved from.
    awaiter operator co_await() && {
        if (!state_)
            throw_error({errc::bad_option, "async_acquire: an acquisition is awaited once"});
        return awaiter{std::exchange(state_, nullptr)};
    }

private:
    std::shared_ptr<state> state_;
};

}  // namespace turnstile
