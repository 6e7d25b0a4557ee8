// SPDX-License-Identifier: Apache-2.0
// all_of: a value that acquires all of several locks, or none. Its actions say which parts to request, which parts to
// give back, and what to report to the caller.
//
// A call requests its *parts* one after the other, in the order of their numbers, and waits for each. The order is the
// same in every process, so calls never wait for each other in a cycle. A call may also *try* several parts at once: a
// try ends as soon as the servers have answered, and waits for no other contender. A *trial* tries all missing parts.
// If every try is granted, the call has its hold. Otherwise the first part that was not granted is *contested*: the
// call gives back all parts behind the contested part, and withdraws the other tries. When the last try has been
// answered, the call requests the contested part and waits for it. So a waiting call holds only parts before the part
// that it waits for.
//
// If a call fails or ends before it has the last part, it gives back all parts, the last part first. Calls of other
// libraries kept parts, or deadlocked (F15 and F31 in docs/reference/failures.md). A waiting call may lose a held part,
// through the end of its session or through another client. The call then starts over, just as a waiter of one lock
// enters its queue again.
//
// | phase     | previous  | cause of the change                                           |
// |-----------|-----------|---------------------------------------------------------------|
// | acquiring |           | start(). In this phase the call requests parts, or tries them   |
// | held      | acquiring | the last missing part is granted                                |
// | over      | acquiring | a part is refused, or lost for good, or leave()                  |
// | over      | held      | a part is lost: the caller is notified, then the other parts are given back |
// | over      | held      | leave()                                                         |
//
// Each `ask` and each `try_part` gets one answer, on_granted or on_refused. A request after `withdraw` gets its answer
// soon.
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace turnstile::core {

// The action that follows if a call loses one of its locks (a part) while it waits for another.
enum class after_loss { start_over, give_up };

class all_of {
public:
    // To try a part is to request its lock without waiting. in_order: a call never tries parts. rest_at_once: after
    // each part that the call waited for, it tries all missing parts at once. all_at_once: the call also begins by
    // trying all parts at once.
    enum class course { in_order, rest_at_once, all_at_once };

    // ---- actions: the user of this value executes them in the order in which it gets them ----
    struct ask {
        std::size_t part = 0;
        friend bool operator==(const ask&, const ask&) = default;
    };
    struct try_part {  // like `ask`, but the part waits for no other contender
        std::size_t part = 0;
        friend bool operator==(const try_part&, const try_part&) = default;
    };
    struct withdraw {  // end the wait or the try for this part soon; the answer still comes
        std::size_t part = 0;
        friend bool operator==(const withdraw&, const withdraw&) = default;
    };
    struct give_back {
        std::size_t part = 0;
        friend bool operator==(const give_back&, const give_back&) = default;
    };
    struct tell_granted {
        friend bool operator==(const tell_granted&, const tell_granted&) = default;
    };
    struct tell_failed {  // `part` caused the failure
        std::size_t part = 0;
        friend bool operator==(const tell_failed&, const tell_failed&) = default;
    };
    struct tell_lost {
        std::size_t part = 0;
        friend bool operator==(const tell_lost&, const tell_lost&) = default;
    };
    using action =
        std::variant<ask, try_part, withdraw, give_back, tell_granted, tell_failed, tell_lost>;

    enum class phase { idle, acquiring, held, over };

    explicit all_of(std::size_t parts, course how = course::in_order) : parts_(parts), how_{how} {}

    // ---- events ----
    void start();
    void on_granted(std::size_t part);
    // own: the request for the lock (part) failed, for example by a timeout. This ends the whole call. withdrawn: the
    // call had withdrawn the request before. contested: another contender is ahead, so the try failed; a wait for that
    // part may still succeed.
    enum class refusal { own, withdrawn, contested };
    void on_refused(std::size_t part, refusal why);
    // Called when the call's hold of a lock (part) has ended although the call did not request a `give_back`.
    void on_lost(std::size_t part, after_loss next);
    void leave();

    [[nodiscard]] std::vector<action> take() { return std::exchange(actions_, {}); }
    [[nodiscard]] phase now() const noexcept { return phase_; }
    [[nodiscard]] bool holds(std::size_t part) const { return parts_[part] == has::it; }
    [[nodiscard]] bool began_with_a_trial() const noexcept {
        return how_ == course::all_at_once && parts_.size() > 1;
    }
    [[nodiscard]] std::size_t failed_trials() const noexcept { return failed_trials_; }

private:
    // The state of a lock (part) in this call. asked: the call waits for the part. tried: the call has requested the
    // part without waiting, and has no answer yet. tried_in_vain: the call has withdrawn that request, and has no
    // answer yet. it: the call holds the part.
    enum class has { nothing, asked, tried, tried_in_vain, it };
    enum class ending { none, start_over, fail };

    void begin();
    void go_on();
    void ask_for(std::size_t part);
    void try_from(std::size_t part);
    void on_tried(std::size_t part, std::optional<refusal> why);
    void end_trial();
    void end_with(ending how, std::optional<std::size_t> why);
    void withdraw_from(std::size_t first);
    void give_back_from(std::size_t first);
    [[nodiscard]] bool trial_is_on() const;
    void answered();
    void fail(std::size_t part);

    std::vector<has> parts_;
    course how_;
    std::vector<action> actions_;
    phase phase_ = phase::idle;
    std::size_t current_ = 0;               // the part that was requested or answered last
    ending ending_ = ending::none;          // follows when all requests in progress are answered
    std::optional<std::size_t> why_;        // the part that caused the failure
    std::optional<std::size_t> contested_;  // the first part that the trial did not get
    std::size_t failed_trials_ = 0;
};

}  // namespace turnstile::core
