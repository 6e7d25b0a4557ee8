// SPDX-License-Identifier: Apache-2.0
// completion_token: the implementation of asio.hpp and boost_asio.hpp, for any Asio library.
//
// Include asio.hpp or boost_asio.hpp instead; they state the guarantees. This file includes no header of Asio.
//
// Each call has one state object. The handler that is passed to the lock, the cancellation slot of the completion
// token, and the registry of the executor's context (pending_calls) share that object:
//
// | stage   | meaning                                          | next stage                                 |
// |---------|--------------------------------------------------|--------------------------------------------|
// | waiting | no outcome yet; the state owns Asio's handler    | done, by the outcome or the context's end  |
// | done    | the handler is at the executor, or is destroyed  |                                            |
//
// The executor's task contains both Asio's handler and the outcome. If the context ends in stage `done`, it destroys
// the task, which releases the hold at once. If the context ends in stage `waiting` (Asio calls that shutdown), the
// registry destroys the handler and its coroutine, and cancels the call. If the lock is granted nevertheless, the hold
// is released. So no task is posted to a context that has ended.
//
// Thread safety: any thread may call any member.
#pragma once

#include "turnstile/language.hpp"

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "turnstile/acquire_options.hpp"
#include "turnstile/acquisition_awaitable.hpp"
#include "turnstile/async_call.hpp"
#include "turnstile/error.hpp"
#include "turnstile/owner.hpp"
#include "turnstile/recursive_mutex.hpp"
#include "turnstile/semaphore.hpp"

namespace turnstile::detail {

// A call that waits for its outcome, and must be abandoned when the context of its executor ends.
class pending_call {
public:
    pending_call() = default;
    pending_call(const pending_call&) = delete;
    pending_call& operator=(const pending_call&) = delete;
    virtual ~pending_call() = default;
    virtual void abandon() noexcept = 0;
};

// The registry of the calls whose handlers run in one context. hand_over() posts a handler while it holds the mutex, so
// the context cannot end during the post.
class pending_calls {
public:
    void add(std::shared_ptr<pending_call> call) {
        {
            const std::lock_guard lock{mutex_};
            if (!over_) {
                all_.insert(std::move(call));
                return;
            }
        }
        call->abandon();
    }
    // Removes the call from the registry, and calls `give` while it holds the mutex. If the context has ended, returns
    // false and does not call `give`.
    template <class F>
    bool hand_over(const std::shared_ptr<pending_call>& call, F&& give) {
        const std::lock_guard lock{mutex_};
        if (over_ || all_.erase(call) == 0) return false;
        give();
        return true;
    }
    void end() noexcept {
        std::set<std::shared_ptr<pending_call>> left;  // abandoned after the mutex is unlocked
        {
            const std::lock_guard lock{mutex_};
            over_ = true;
            left.swap(all_);
        }
        for (const auto& call : left) call->abandon();
    }

private:
    std::mutex mutex_;
    std::set<std::shared_ptr<pending_call>> all_;  // guarded by mutex_
    bool over_ = false;                            // guarded by mutex_
};

// A service of an Asio context. When the context ends, the service calls end() of the context's `pending_calls`. `Net`
// is the Asio library (asio.hpp).
template <class Net>
class pending_service : public Net::context::service {
public:
    static inline typename Net::context::id id;
    using key_type = pending_service;

    explicit pending_service(typename Net::context& owner) : Net::context::service{owner} {}
    [[nodiscard]] const std::shared_ptr<pending_calls>& calls() const noexcept { return calls_; }

private:
    void shutdown() noexcept override { calls_->end(); }

    const std::shared_ptr<pending_calls> calls_ = std::make_shared<pending_calls>();
};

// The state object of a call in progress. The table at the top of this file has its stages.
template <class Net, class Outcome, class Handler>
class token_call final : public pending_call,
                         public std::enable_shared_from_this<token_call<Net, Outcome, Handler>> {
public:
    using executor_type = typename Net::template executor_of<Handler>;

    explicit token_call(Handler&& handler)
        : waiting_{std::in_place, std::move(handler)},
          calls_{Net::template use_service<pending_service<Net>>(waiting_->executor).calls()} {}

    template <class Start>
    void start(Start&& start, acquire_options&& options) {
        const auto self = this->shared_from_this();
        Net::on_cancel(waiting_->handler, forward_stop{cancel_});
        calls_->add(self);  // destroys the handler if the context has ended, or is about to
        if (options.stop.stop_possible())
            stop_.emplace(std::exchange(options.stop, {}), forward_stop{cancel_});
        options.stop = cancel_.get_token();
        try {
            start(std::move(options),
                  [self](Outcome outcome) { self->arrive(std::move(outcome)); });
        } catch (...) {
            arrive(Outcome{error_of_exception()});
        }
    }

    // Destroys the handler, and with it perhaps a coroutine and everything that the coroutine owns. Then ends the call.
    void abandon() noexcept override {
        static_cast<void>(taken());
        cancel_.request_stop();
    }

private:
    // Contains all members that refer to the context, so that a single assignment destroys them when the context ends.
    struct waiting {
        explicit waiting(Handler&& callable)
            : executor{Net::get_executor(callable)},
              outstanding{Net::track(executor)},
              handler{std::move(callable)} {}
        executor_type executor;
        typename Net::template work<executor_type> outstanding;  // keeps run() from returning
        Handler handler;
    };

    // The executor's task, which runs once.
    struct delivery {
        typename Net::template work<executor_type> outstanding;
        Handler handler;
        Outcome outcome;
        void operator()() {
            Net::forget_cancel(handler);
            tell_loss(outcome);
            std::move(handler)(std::move(outcome));
        }
    };

    std::optional<waiting> taken() {
        const std::lock_guard lock{mutex_};
        return std::exchange(waiting_, std::nullopt);
    }

    void arrive(Outcome outcome) {
        calls_->hand_over(this->shared_from_this(), [&] {
            auto mine = taken();
            if (!mine) return;
            try {
                Net::post(mine->executor, delivery{std::move(mine->outstanding),
                                                   std::move(mine->handler), std::move(outcome)});
            } catch (const std::bad_alloc&) {
                end_without_delivery();
            }
        });
    }

    std::mutex mutex_;
    std::optional<waiting> waiting_;  // guarded by mutex_ after the start
    const std::shared_ptr<pending_calls> calls_;
    // A stop request ends the call. It comes from the user's stop token, the cancellation slot or the end of the
    // context.
    std::stop_source cancel_;
    std::optional<std::stop_callback<forward_stop>> stop_;
};

// Starts a call with a completion token. The handler of the token gets the outcome as a value.
template <class Net, class Outcome, class Start, class Token>
auto initiate(Start start, acquire_options options, Token&& token) {
    return Net::template initiate<void(Outcome)>(
        [start = std::move(start), options = std::move(options)](auto&& handler) mutable {
            using handler_type = std::decay_t<decltype(handler)>;
            const auto call = std::make_shared<token_call<Net, Outcome, handler_type>>(
                std::forward<decltype(handler)>(handler));
            call->start(std::move(start), std::move(options));
        },
        std::forward<Token>(token));
}

// The classes of the function objects async_acquire, async_release and others, which asio.hpp and boost_asio.hpp
// define. `Net` is the Asio library.

template <class Net>
struct acquire_form {
    template <class L, awaitable_options O, class Token>
    auto operator()(L&& lock, O&& options, Token&& token) const {
        auto start = [kept = kept_lock(std::forward<L>(lock))](acquire_options how,
                                                               granted_handler done) {
            kept.get().async_acquire(std::move(how), std::move(done));
        };
        return initiate<Net, result<guard>>(std::move(start), options_of(options),
                                            std::forward<Token>(token));
    }
    // Acquires a recursive_mutex for the owner `identity`.
    template <awaitable_options O, class Token>
    auto operator()(recursive_mutex& lock, O&& options, owner identity, Token&& token) const {
        auto start = [&lock, identity](acquire_options how, granted_handler done) {
            lock.async_acquire(std::move(how), identity, std::move(done));
        };
        return initiate<Net, result<guard>>(start, options_of(options), std::forward<Token>(token));
    }
    // Acquires several permits of a semaphore.
    template <awaitable_options O, class Token>
    auto operator()(semaphore& of, permit_count permits, O&& options, Token&& token) const {
        auto start = [&of, permits](acquire_options how, granted_handler done) {
            of.async_acquire(permits, std::move(how), std::move(done));
        };
        return initiate<Net, result<guard>>(start, options_of(options), std::forward<Token>(token));
    }
};

template <class Net>
struct upgrade_form {
    template <awaitable_options O, class Token>
    auto operator()(shared_mutex& lock, guard&& hold, O&& options, Token&& token) const {
        return initiate<Net, upgraded_guard>(started_upgrade(lock, std::move(hold)),
                                             options_of(options), std::forward<Token>(token));
    }
};

template <class Net>
struct commit_form {
    template <awaitable_options O, class Token>
    auto operator()(guard& hold, const transaction& writes, O&& options, Token&& token) const {
        return initiate<Net, result<commit_result>>(
            started_commit(hold, writes), options_of(options), std::forward<Token>(token));
    }
};

template <class Net>
struct async_call_form {
    template <awaitable_call F, class Token>
    auto operator()(const client& servers, F&& call, Token&& token) const {
        using function = std::remove_cvref_t<F>;
        return initiate<Net, call_outcome<function>>(
            started_call<function>(servers, std::forward<F>(call)), {}, std::forward<Token>(token));
    }
};

template <class Net>
struct try_acquire_form {
    template <class L, awaitable_options O, class Token>
    auto operator()(const client& servers, L& lock, O&& options, Token&& token) const {
        const acquire_options how = options_of(options);
        return initiate<Net, result<guard>>(started_try(servers, lock, how), {.stop = how.stop},
                                            std::forward<Token>(token));
    }
};

template <class Net>
struct release_form {
    template <std::convertible_to<wait_limit> W, class Token>
    auto operator()(const client& servers, guard&& hold, const W& limit, Token&& token) const {
        return initiate<Net, result<void>>(started_release(servers, std::move(hold), limit), {},
                                           std::forward<Token>(token));
    }
};

template <class Net>
struct wait_connected_form {
    template <std::convertible_to<wait_limit> W, class Token>
    auto operator()(client& servers, const W& limit, Token&& token) const {
        return initiate<Net, result<void>>(started_connection(servers, limit), {},
                                           std::forward<Token>(token));
    }
};

}  // namespace turnstile::detail
