// SPDX-License-Identifier: Apache-2.0
// election_seat: a participant of an election. It queues, leads, and queues again. While it leads, it runs the user's
// function, if the user has given one.
//
// `seat_state` has the state, and decides the effects of each event. election_seat calls `seat_state` under a lock, and
// executes the effects under no lock. The seat lives until the last call of the user's function has returned.
//
// A participant without a function needs no thread while it leads: a worker of the client decides whether it may lead.
// Its term ends when the callbacks of the term's stop token have returned.
//
// Thread safety: all members from any thread. Listeners are called on the client's callbacks executor, one call at a
// time and in order. Nothing else depends on that executor, so a listener may call await().
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/mutex.hpp"
#include "client/listeners.hpp"
#include "client/timer_thread.hpp"
#include "recipe/election/seat_state.hpp"
#include "recipe/lock/queue_lock.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/leader.hpp"

namespace turnstile::detail {

class election_seat final : public timer_thread::client,
                            public std::enable_shared_from_this<election_seat> {
public:
    using function = leader::function;

    // `duty`: the user's function, which runs while this participant leads; may be empty. Throws the exceptions of the
    // constructors of turnstile::leader.
    election_seat(const turnstile::client& servers, std::string_view path, function&& duty,
                  leader_options&& options);
    ~election_seat();
    election_seat(const election_seat&) = delete;
    election_seat& operator=(const election_seat&) = delete;

    void start();
    void close() noexcept;
    void resign() noexcept { step(course::resigned{}); }
    result<void> move_to(std::string_view successor, boottime_clock::duration within,
                         const query_options& options);

    // Returns the hold with which the participant leads now; nullptr if it does not lead. The lead is given up when the
    // last copy of the pointer is destroyed.
    [[nodiscard]] std::shared_ptr<guard> lead() const;
    // Returns the stop token of the present term as the leader; nothing if the participant does not lead.
    [[nodiscard]] std::optional<std::stop_token> while_leading() const;
    [[nodiscard]] std::size_t terms() const;
    [[nodiscard]] std::optional<error> failure() const;
    // Waits until the participant leads with a valid hold.
    result<void> await(const query_options& options);
    [[nodiscard]] listener_handle on_change(std::function<void(bool)> listener) {
        return listeners_.add(std::move(listener));
    }

    [[nodiscard]] const queue_lock& queue() const noexcept { return queue_; }
    [[nodiscard]] const std::string& id() const noexcept { return id_; }

    void on_timer() override;

private:
    void step(const course::input& event);
    void end();
    void run(seat_effects&& effects);
    void ask(course::turn turn, std::stop_token leaves);
    void on_outcome(course::turn turn, result<guard>&& outcome);
    void hand_over(course::turn turn, const std::optional<duty_thread>& thread);
    void run_term(course::turn turn);
    [[nodiscard]] bool decide(course::turn turn, const std::shared_ptr<guard>& lead);
    void call(guard& lead, const std::stop_token& stop);
    void return_from(course::turn turn);
    void tell(const std::exception_ptr& thrown) const noexcept;
    void tell_listeners();
    void wait_out(course::turn turn, boottime_clock::time_point until);
    void end_pause();
    void await_end(std::optional<course::turn> term) noexcept;
    [[nodiscard]] result<void> why_not() const REQUIRES(mutex_);

    const core::claim wants_;
    const queue_lock queue_;
    const std::string id_;
    const std::string text_;  // the text for the participant's znode
    const function duty_;
    const leader_options options_;
    listener_list<bool> listeners_;

    mutable base::mutex mutex_;
    base::condition_variable changed_;
    seat_state now_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
