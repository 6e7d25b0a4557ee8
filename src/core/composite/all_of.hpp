// SPDX-License-Identifier: Apache-2.0
// all_of: all or none over several locks, as a value: what to ask for, what to give back, what to tell.
//
// Parts are *asked for* (and waited for) one after the other, in the order of their numbers, which is the same in
// every process: so no calls wait in a cycle. Parts may also be *tried*, several at once: a try is over as soon as
// the servers have answered, and waits for no other contender. A *trial* tries all parts that are missing. If each is
// granted, all are there. Else what was granted behind the first part that was not is given back, the other tries are
// withdrawn, and only when the last of them has answered is that part asked for: whoever waits holds only parts
// before the one that it waits for.
//
// What fails or ends before the last part is there gives back all of them, the last first (F15, F31). When a part
// is lost by its session or by another client's hand while another is waited for, the work starts over, as a waiter of
// one lock enters its queue again.
//
// | phase     | from      | by                                                            |
// |-----------|-----------|---------------------------------------------------------------|
// | acquiring |           | start(); one part is asked for, or several are tried, at any time |
// | held      | acquiring | the last part that was missing is granted                        |
// | over      | acquiring | a part is refused, or lost for good, or leave()                  |
// | over      | held      | a part is lost: the caller is told, then the others are given back |
// | over      | held      | leave()                                                         |
//
// Each `ask` and each `try_part` has one answer, on_granted or on_refused, also after `withdraw`, which asks for an
// early one. Thread safety: a value; one thread at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace turnstile::core {

// What the loss of a part means for those that are waited for.
enum class after_loss { start_over, give_up };

class all_of {
public:
    // Whether parts are tried: never; all that are missing, each time that a part has been waited for; and before
    // any is waited for, too.
    enum class course { in_order, rest_at_once, all_at_once };

    // ---- what to do, in this order ----
    struct ask {
        std::size_t part = 0;
        friend bool operator==(const ask&, const ask&) = default;
    };
    struct try_part {  // as ask, but it waits for no other contender
        std::size_t part = 0;
        friend bool operator==(const try_part&, const try_part&) = default;
    };
    struct withdraw {  // end the wait, or the try, for it soon; its answer is still to come
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
    struct tell_failed {  // because of this part
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

    // ---- what happens ----
    void start();
    void on_granted(std::size_t part);
    // Own: it ends the whole. Withdrawn: it was refused because we had asked for that. Contested, of a try alone: it
    // says nothing about what becomes of a part that is waited for.
    enum class refusal { own, withdrawn, contested };
    void on_refused(std::size_t part, refusal why);
    // A granted part that is over without a give_back.
    void on_lost(std::size_t part, after_loss next);
    // The caller does not want it any more.
    void leave();

    [[nodiscard]] std::vector<action> take() { return std::exchange(actions_, {}); }
    [[nodiscard]] phase now() const noexcept { return phase_; }
    [[nodiscard]] bool holds(std::size_t part) const { return parts_[part] == has::it; }
    [[nodiscard]] bool began_with_a_trial() const noexcept {
        return how_ == course::all_at_once && parts_.size() > 1;
    }
    // Trials that did not get all that was missing.
    [[nodiscard]] std::size_t failed_trials() const noexcept { return failed_trials_; }

private:
    enum class has { nothing, asked, tried, tried_in_vain, it };  // in vain: it is withdrawn
    enum class ending { none, start_over, fail };

    void begin();
    void go_on();
    void ask_for(std::size_t part);
    void try_from(std::size_t part);
    void on_tried(std::size_t part, std::optional<refusal> why);
    void end_trial();
    void end_with(ending how, std::optional<std::size_t> why);
    void withdraw_all_behind(std::size_t part);
    void give_back_all_behind(std::size_t part);
    [[nodiscard]] bool trial_is_on() const;
    void answered();
    void give_all_back();
    void fail(std::size_t part);

    std::vector<has> parts_;
    course how_;
    std::vector<action> actions_;
    phase phase_ = phase::idle;
    std::size_t current_ = 0;               // what is asked for, or answered last
    ending ending_ = ending::none;          // what follows the answers that are still to come
    std::optional<std::size_t> why_;        // the part that ends it
    std::optional<std::size_t> contested_;  // the first part that the trial did not get
    std::size_t failed_trials_ = 0;
};

}  // namespace turnstile::core
