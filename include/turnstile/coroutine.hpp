// async_acquire: waiting for a lock in a coroutine.
//
// Purpose: a thin layer over the recipes' member async_acquire, for any coroutine type.
//
//     task ship(turnstile::mutex& orders, turnstile::executor pool) {
//         if (auto hold = co_await turnstile::async_acquire(orders, 2s, pool))
//             write(hold->fencing_token());   // on the pool
//     }
//
// What happens, step by step:
// - Nothing starts before the await: an awaitable that is not awaited does nothing. It can be awaited
//   once; again throws std::system_error(bad_option).
// - The outcome is what the recipe's acquire() returns, as a value. What the recipe's async_acquire
//   throws (bad_option) is thrown at the await.
// - The coroutine is resumed by a task that is given to the executor, also when the answer was there
//   at once. Turnstile never resumes it in any other way: not on the client's threads, and not in the
//   client's handler. An executor that runs the task within the call has chosen the thread that calls
//   it, mostly the client's for callbacks: then the rules for callbacks hold for the coroutine.
// - A hold that is lost while the task waits for its turn is told as the outcome, with why it was lost
//   (on_lost may have been told, too).
// - An executor that drops the task, or throws: the hold is released at once, and the coroutine stays
//   suspended; whoever owns it may destroy it. (Where the answer was there at once, what the executor
//   throws is thrown at the await; else it is logged.) A task that is run twice resumes once.
// - A coroutine that is destroyed while it waits leaves the queue; a hold that was already on its way
//   is released. Destroy it on the executor, or when nothing runs there: no library can tell a task
//   that is just about to resume it from one that is not.
// - `options.stop`, `options.timeout` and the end of the client end the wait, as in acquire().
//
// The lock has to live until the coroutine is suspended; what the callbacks of the options refer to,
// see acquire_options. For deadlock_detector set `options.owner`: no thread stands for a coroutine.
//
// Options and executors are variables, or what functions return: GCC (12 at least) destroys twice what
// braces, or a lambda with captures, make inside an expression with co_await. So options in braces
// and lambdas in the place of the executor do not compile here.
//     const turnstile::acquire_options patient{.timeout = 1min, .stop = stop};
//     auto hold = co_await turnstile::async_acquire(orders, patient, pool);
//
// Thread safety: an awaitable is used by one thread, that of the coroutine.
#pragma once

#include <concepts>
#include <coroutine>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client_options.hpp"
#include "turnstile/error.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

namespace detail {

template <class L, class G>
G guard_of(void (L::*)(acquire_options, std::function<void(result<G>)>));

// One acquisition of a coroutine: between the recipe, which calls the handler once on some thread, the
// executor, which runs the task or does not, and the coroutine, which may be gone by then.
template <class Guard>
class awaited_acquisition : public std::enable_shared_from_this<awaited_acquisition<Guard>> {
public:
    using handler = std::function<void(result<Guard>)>;
    using start_function = std::function<void(acquire_options, handler)>;

    awaited_acquisition(start_function start, acquire_options options, executor resume_on)
        : start_{std::move(start)}, options_{std::move(options)}, executor_{std::move(resume_on)} {}

    // Starts; the coroutine may have been resumed, and be gone, when it returns.
    void suspend(std::coroutine_handle<> waiter) {
        const auto self = this->shared_from_this();  // the coroutine may let us go meanwhile
        waiter_ = waiter;
        listen();
        try {
            start_(std::move(options_),
                   [self](result<Guard> outcome) { self->arrive(std::move(outcome)); });
        } catch (...) {
            static_cast<void>(take_waiter());
            throw;
        }
        start_returned();
    }

    // In the resumed coroutine.
    result<Guard> take() {
        stop_.reset();
        auto outcome = std::move(*answer_);
        if constexpr (requires(const Guard& hold) { hold.status().error(); }) {
            if (outcome)
                if (const auto still = outcome->status(); !still) return still.error();
        }
        return outcome;
    }

    // The coroutine is gone, or goes on.
    void abandon() noexcept {
        stop_.reset();
        std::optional<result<Guard>> unclaimed;  // destroyed under no lock
        {
            const std::lock_guard lock{mutex_};
            if (!std::exchange(waiter_, nullptr)) return;
            if (const auto parcel = parcel_.lock()) unclaimed = std::move(parcel->outcome);
        }
        cancel_.request_stop();
    }

private:
    // What the executor gets: when it drops that, the hold goes with it.
    struct delivery {
        std::shared_ptr<awaited_acquisition> to;
        std::optional<result<Guard>> outcome;
    };

    void listen() {
        if (options_.stop.stop_possible()) {
            stop_.emplace(std::exchange(options_.stop, {}),
                          [source = cancel_]() mutable { source.request_stop(); });
        }
        options_.stop = cancel_.get_token();
    }

    // Only when the recipe's function has returned, and the lock may go, is the coroutine resumed.
    void arrive(result<Guard>&& outcome) {
        {
            const std::lock_guard lock{mutex_};
            if (!started_) {
                early_.emplace(std::move(outcome));
                return;
            }
        }
        hand_over(std::move(outcome));
    }

    void start_returned() {
        std::optional<result<Guard>> outcome;
        {
            const std::lock_guard lock{mutex_};
            started_ = true;
            outcome = std::exchange(early_, std::nullopt);
        }
        if (!outcome) return;
        try {
            hand_over(std::move(*outcome));
        } catch (...) {
            // Unless the task runs nevertheless.
            if (take_waiter()) throw;
        }
    }

    void hand_over(result<Guard>&& outcome) {
        const auto parcel = std::make_shared<delivery>();
        parcel->to = this->shared_from_this();
        parcel->outcome.emplace(std::move(outcome));
        {
            const std::lock_guard lock{mutex_};
            parcel_ = parcel;
        }
        executor_([parcel] { parcel->to->resume(*parcel); });
    }

    void resume(delivery& parcel) {
        std::unique_lock lock{mutex_};
        const auto waiter = std::exchange(waiter_, nullptr);
        if (!waiter) return;
        answer_.emplace(std::move(*parcel.outcome));
        lock.unlock();
        waiter.resume();
    }

    [[nodiscard]] std::coroutine_handle<> take_waiter() noexcept {
        const std::lock_guard lock{mutex_};
        return std::exchange(waiter_, nullptr);
    }

    const start_function start_;
    acquire_options options_;
    const executor executor_;
    std::stop_source cancel_;  // the user's stop token, and the end of the coroutine
    std::optional<std::stop_callback<std::function<void()>>> stop_;

    std::mutex mutex_;
    std::coroutine_handle<> waiter_;       // guarded by mutex_; null: nobody to resume
    bool started_ = false;                 // guarded by mutex_
    std::optional<result<Guard>> early_;   // guarded by mutex_; came before `started_`
    std::weak_ptr<delivery> parcel_;       // guarded by mutex_, and its outcome
    std::optional<result<Guard>> answer_;  // written before the coroutine is resumed
};

}  // namespace detail

// What a lock's async_acquire gives: `guard`, or the recipe's own.
template <class L>
using guard_type = decltype(detail::guard_of(&L::async_acquire));

// A recipe with the member `void async_acquire(acquire_options, std::function<void(result<G>)>)`.
template <class L>
concept async_lockable = requires {
    typename guard_type<L>;
};

// What `co_await` takes. Made by async_acquire() below; directly for a recipe's other asynchronous
// forms, which `start` calls:
//     const auto start = [&](auto options, auto handler) { m.async_acquire_shared(options, handler); };
//     auto hold = co_await turnstile::acquisition_awaitable<turnstile::guard>{start, patient, pool};
template <class Guard>
class [[nodiscard]] acquisition_awaitable {
    using state = detail::awaited_acquisition<Guard>;

public:
    // Throws std::system_error(bad_option) for an empty executor: nobody could resume the coroutine.
    template <std::same_as<executor> E>
    acquisition_awaitable(typename state::start_function start, const acquire_options& options,
                          E resume_on) {
        if (!resume_on) throw_error({errc::bad_option, "async_acquire: the executor is empty"});
        state_ =
            std::make_shared<state>(std::move(start), std::move(options), std::move(resume_on));
    }

    class awaiter {
    public:
        explicit awaiter(std::shared_ptr<state> acquisition) : state_{std::move(acquisition)} {}
        ~awaiter() { state_->abandon(); }
        awaiter(const awaiter&) = delete;
        awaiter& operator=(const awaiter&) = delete;

        [[nodiscard]] bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> waiter) { state_->suspend(waiter); }
        result<Guard> await_resume() { return state_->take(); }

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

template <async_lockable L, std::same_as<executor> E>
acquisition_awaitable<guard_type<L>> async_acquire(L& lock, const acquire_options& options,
                                                   E resume_on) {
    return {[&lock](acquire_options how, std::function<void(result<guard_type<L>>)> handler) {
                lock.async_acquire(std::move(how), std::move(handler));
            },
            options, std::move(resume_on)};
}
// Options in braces: see above.
template <async_lockable L, std::same_as<executor> E>
void async_acquire(L& lock, acquire_options&& options, E resume_on) = delete;

// With a time-out or a deadline.
template <async_lockable L, std::same_as<executor> E>
acquisition_awaitable<guard_type<L>> async_acquire(L& lock, wait_limit timeout, E resume_on) {
    const acquire_options options{.timeout = timeout};
    return async_acquire(lock, options, std::move(resume_on));
}

// Without options.
template <async_lockable L, std::same_as<executor> E>
acquisition_awaitable<guard_type<L>> async_acquire(L& lock, E resume_on) {
    return async_acquire(lock, wait_limit{}, std::move(resume_on));
}

}  // namespace turnstile
