// SPDX-License-Identifier: Apache-2.0
// acquisition_awaitable: what `co_await` takes, made by the forms that turnstile/coroutine.hpp describes.
//
// Purpose: any call with options, and a handler that gets the outcome, as an await:
//
//     const auto start = [&](auto options, auto handler) { m.async_acquire(options, handler); };
//     auto hold = co_await turnstile::acquisition_awaitable<turnstile::result<turnstile::guard>>{
//         start, patient, pool};
//
// What is promised to the coroutine, see turnstile/coroutine.hpp. Here is how. One acquisition has one owner
// of its outcome, a state that the coroutine, the recipe's handler and the executor's task share:
//
// | stage    | meaning                               | left for                                         |
// |----------|---------------------------------------|--------------------------------------------------|
// | starting | the recipe's function is being called | waiting; posted: the outcome came meanwhile      |
// | waiting  | for the outcome                       | posted                                           |
// | posted   | the executor has the task             | resumed: it runs; over: it is dropped, or throws |
// | resumed  | the coroutine takes the outcome       |                                                  |
// | over     | it will not be taken                  |                                                  |
//
// Each stage but `resumed` is left for `over` when the coroutine is destroyed. Whatever outcome the state has
// then, or gets later, goes at once, and the hold with it: no task of an executor ever carries one.
//
// Thread safety: an awaitable is used by one thread, that of the coroutine.
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

// Logs the exception that is being handled, which an executor threw, and what came of it.
TURNSTILE_EXPORT void report_failed_executor(std::string_view consequence) noexcept;
// Ends the process: no memory is left to hand an outcome to its executor, and what awaits it would wait for ever.
[[noreturn]] TURNSTILE_EXPORT void end_without_delivery() noexcept;

// A hold that was lost on its way to the coroutine is no success.
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
        auto kept = to;  // the stop may destroy the coroutine, and this callback with it
        kept.request_stop();
    }
};

// The state of the table above. Thread safety: all members from any thread; suspend(), take() and
// abandon() are the coroutine's.
template <class Outcome>
class awaited_acquisition : public std::enable_shared_from_this<awaited_acquisition<Outcome>> {
public:
    using handler = std::function<void(Outcome)>;
    using start_function = std::function<void(acquire_options, handler)>;

    awaited_acquisition(start_function start, const acquire_options& options, executor resume_on)
        : start_{std::move(start)}, options_{options}, executor_{std::move(resume_on)} {}

    // Starts; the coroutine may have been resumed, and be gone, when it returns.
    void suspend(std::coroutine_handle<> waiter) {
        const auto self = this->shared_from_this();  // the coroutine may let us go meanwhile
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

    // The coroutine calls this once resumed, by our task or by its owner.
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

    // The coroutine is gone, or goes on.
    void abandon() noexcept {
        stop_.reset();
        if (end(stage::starting)) cancel_.request_stop();
    }

private:
    enum class stage { starting, waiting, posted, resumed, over };  // in this order

    // What the executor gets. The last copy that goes without having been run ends the acquisition.
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

    // The first outcome counts. Only when the recipe's function has returned, and the lock may go, is
    // the coroutine resumed.
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

    // What the executor throws is told in one way, whichever thread it is: the coroutine's, if the
    // outcome was there already, or the client's, whichever was faster.
    void post() noexcept {
        // An executor may keep the task for good, and must not keep itself by it.
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

    // Unless it is resumed or over, or has not come as far as `from`. True if this ended it. The outcome
    // is destroyed under no lock: a hold's end is a call.
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
    executor executor_;        // empty once it has been called
    std::stop_source cancel_;  // the user's stop token, and the end of the coroutine
    std::optional<std::stop_callback<forward_stop>> stop_;
    std::coroutine_handle<> waiter_;  // written before the start

    mutable std::mutex mutex_;
    stage stage_ = stage::starting;  // guarded by mutex_
    std::optional<Outcome>
        outcome_;  // guarded by mutex_; once it is resumed, the coroutine's alone
};

}  // namespace detail

// `Outcome` is what the handler gets: result<guard>, or another type that an error can be turned into.
template <std::constructible_from<error> Outcome>
class [[nodiscard]] acquisition_awaitable {
    using state = detail::awaited_acquisition<Outcome>;

public:
    // Throws std::system_error(bad_option) for an empty executor: nothing could resume the coroutine.
    template <std::same_as<executor> E>
    acquisition_awaitable(typename state::start_function start, const acquire_options& options,
                          E resume_on) {
        if (!resume_on) throw_error({errc::bad_option, "async_acquire: the executor is empty"});
        state_ = std::make_shared<state>(std::move(start), options, std::move(resume_on));
    }

    class awaiter {
    public:
        explicit awaiter(std::shared_ptr<state> acquisition) : state_{std::move(acquisition)} {}
        ~awaiter() { state_->abandon(); }
        awaiter(const awaiter&) = delete;
        awaiter& operator=(const awaiter&) = delete;

        [[nodiscard]] bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> waiter) { state_->suspend(waiter); }
        Outcome await_resume() { return state_->take(); }

    private:
        const std::shared_ptr<state> state_;
    };

    // Throws std::system_error(bad_option) for one that was awaited or moved from.
    awaiter operator co_await() && {
        if (!state_)
            throw_error({errc::bad_option, "async_acquire: an acquisition is awaited once"});
        return awaiter{std::exchange(state_, nullptr)};
    }

private:
    std::shared_ptr<state> state_;
};

}  // namespace turnstile
