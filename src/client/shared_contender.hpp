// SPDX-License-Identifier: Apache-2.0
// shared_contender: the contender that the callers of one process share on one path. It executes the decisions of
// core::local_queue, and implements two modes of locks: retained (kept between the holds of threads) and cohort (handed
// over between threads).
//
// Lock objects of one client with the same path and options share one shared_contender (`of`). A shared_contender has
// one contender at a time, with a session_hold. A stop token reports the loss of that hold. The session's thread calls
// on_contended() when another contender queues behind the present contender.
//
// Thread safety: all members from any thread. Lock order: the lock of the back end that delivers an event, this lock,
// the lock of a local_hold or of the client, the lock of a session.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "base/mutex.hpp"
#include "client/client_impl.hpp"
#include "client/local_hold.hpp"
#include "core/composite/local_queue.hpp"
#include "turnstile/lock_options.hpp"

namespace turnstile::detail {

class shared_contender final : public timer_thread::client,
                               public shared_queue,
                               public std::enable_shared_from_this<shared_contender> {
public:
    // Returns the shared_contender of this client for the path and options. Throws std::system_error(bad_option).
    [[nodiscard]] static std::shared_ptr<shared_contender> of(
        const std::shared_ptr<client_impl>& servers, const std::string& path,
        const core::claim& wants, const lock_options& modes);

    shared_contender(std::shared_ptr<client_impl> servers, std::string path,
                     const core::claim& wants, const lock_options& modes);
    ~shared_contender();

    result<guard> acquire(acquire_options&& options, core::attempt mode);
    void async_acquire(acquire_options&& options, acquire_request::handler done);

    // ---- functions for local_hold ------------------------------------------------------------
    [[nodiscard]] const std::string& path() const noexcept override { return path_; }
    [[nodiscard]] client_impl& servers() const noexcept override { return *servers_; }
    void give_up(core::local_id caller, const error& why) override;
    [[nodiscard]] std::shared_ptr<hold> leave(core::local_id caller, const error& why,
                                              core::local_queue::next then) override;

    void on_timer() override;

private:
    void on_time();
    using stop_callback = std::stop_callback<std::function<void()>>;
    struct contender {
        std::uint64_t number = 0;
        std::shared_ptr<hold> held;
        std::uint64_t zxid = 0;                        // part of its fencing token
        std::shared_ptr<stop_callback> loss;           // must be destroyed under no lock
        std::stop_source withdrawn{std::nostopstate};  // ends the call of this contender
        std::optional<release_request> request;        // arrived while no caller held the lock
    };
    struct asked_holder {
        std::shared_ptr<local_hold> holder;
        release_request request;
    };
    struct lost_caller {
        std::shared_ptr<local_hold> hold;
        std::vector<call::task> callbacks;
    };
    // The effects of a step, which are executed after the release of the mutex.
    struct deferred_effects {
        boost::container::small_vector<std::shared_ptr<local_hold>, 1> answered;
        boost::container::small_vector<std::shared_ptr<local_hold>, 1>
            gone;  // perhaps last references
        std::vector<lost_caller> lost;
        std::vector<std::shared_ptr<local_hold>> expiring;
        std::vector<std::stop_source> withdraw;
        std::vector<contender> given_back;
        std::optional<core::sharing::ask> ask;
        std::optional<asked_holder> asked;
    };

    template <class F>
    deferred_effects step(F&& event);
    void record(deferred_effects& effects) REQUIRES(mutex_);
    [[nodiscard]] core::local_id next_id() noexcept {
        return core::local_id{next_id_.fetch_add(1) + 1};
    }
    [[nodiscard]] std::shared_ptr<local_hold> holder() const REQUIRES(mutex_);
    [[nodiscard]] error refusal(const error& why) const;
    void arm(std::optional<boottime_clock::time_point> next) REQUIRES(mutex_);
    void execute(deferred_effects&& effects);
    void ask(const core::sharing::ask& question);
    [[nodiscard]] acquire_options options_of_contender(std::uint64_t number,
                                                       std::stop_token withdrawn);
    [[nodiscard]] result<acquire_request> request(acquire_options&& options, core::attempt mode,
                                                  acquire_request::handler&& done = nullptr) const;
    std::shared_ptr<local_hold> start(acquire_request&& request);

    [[nodiscard]] bool came_too_late(const error& why) const;
    void on_answer(std::uint64_t number, result<guard>&& answer);
    void on_contender_lost(std::uint64_t number);
    static void on_contended(std::shared_ptr<shared_contender>&& self, std::uint64_t number);
    void on_asked_to_release(std::uint64_t number, const release_request& request);
    void tell_holder(const std::function<void(local_hold&)>& callback);
    void tell_waiting(const std::function<void(local_hold&, std::size_t ahead)>& callback);

    const std::shared_ptr<client_impl> servers_;
    const std::string path_;
    const core::claim wants_;
    std::atomic<std::uint64_t> next_id_{0};

    mutable base::mutex mutex_;
    core::local_queue value_ GUARDED_BY(mutex_);
    std::vector<core::sharing::action> decided_ GUARDED_BY(mutex_);  // member, to reuse its memory
    contender current_ GUARDED_BY(mutex_);
    local_callers callers_ GUARDED_BY(mutex_);
    boottime_clock::time_point armed_ GUARDED_BY(mutex_) = boottime_clock::time_point::max();
};

}  // namespace turnstile::detail
