// SPDX-License-Identifier: Apache-2.0
// all_of: all or none over several locks, as a value: what to ask for, what to give back, what to tell.
//
// Parts are asked for one after the other, in the order of their numbers, which is the same in every
// process: so no calls wait in a circle. What fails or ends before the last part is there gives back
// all of them, the last first (F15, F31). When a part is lost by its session or by another client's hand
// while another is waited for, the work starts over, as a waiter of one lock enters its queue again.
//
// | phase     | from      | by                                                            |
// |-----------|-----------|---------------------------------------------------------------|
// | acquiring |           | start(); one part is asked for at any time                       |
// | held      | acquiring | the last part is granted                                         |
// | over      | acquiring | a part is refused, or lost for good, or leave()                  |
// | over      | held      | a part is lost: the caller is told, then the others are given back |
// | over      | held      | leave()                                                         |
//
// Each `ask` has one answer, on_granted or on_refused, also after `withdraw`, which asks for an early
// one. Thread safety: a value; one thread at a time.
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
    // ---- what to do, in this order ----
    struct ask {
        std::size_t part = 0;
        friend bool operator==(const ask&, const ask&) = default;
    };
    struct withdraw {  // end the wait for it soon; its answer is still to come
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
    using action = std::variant<ask, withdraw, give_back, tell_granted, tell_failed, tell_lost>;

    enum class phase { idle, acquiring, held, over };

    explicit all_of(std::size_t parts) : parts_(parts) {}

    // ---- what happens ----
    void start();
    void on_granted(std::size_t part);
    // Withdrawn: it was refused because we had asked for that.
    enum class refusal { own, withdrawn };
    void on_refused(std::size_t part, refusal why);
    // A granted part that is over without a give_back.
    void on_lost(std::size_t part, after_loss next);
    // The caller does not want it any more.
    void leave();

    [[nodiscard]] std::vector<action> take() { return std::exchange(actions_, {}); }
    [[nodiscard]] phase now() const noexcept { return phase_; }
    [[nodiscard]] bool holds(std::size_t part) const { return parts_[part] == has::it; }

private:
    enum class has { nothing, asked, it };
    enum class ending { none, start_over, fail };

    void ask_for(std::size_t part);
    void answered();
    void give_all_back();
    void fail(std::size_t part);

    std::vector<has> parts_;
    std::vector<action> actions_;
    phase phase_ = phase::idle;
    std::size_t current_ = 0;         // what is asked for
    ending ending_ = ending::none;    // what follows the answer that is still to come
    std::optional<std::size_t> why_;  // the part whose loss ends it
};

}  // namespace turnstile::core
