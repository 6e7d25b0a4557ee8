// SPDX-License-Identifier: Apache-2.0
// recipe_observer: recipes call its members when they use a client's holds. The members do nothing here. The class that
// checks the recipes (verification/recipe_judge.hpp) overrides them.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <vector>

#include "core/contender/commit_queue.hpp"
#include "core/session/session_core.hpp"
#include "simulation/history.hpp"
#include "turnstile/deadlock_detector.hpp"

namespace turnstile::simulation {

// The owner of a re-entrant lock: a thread, or an owner token (turnstile::owner) that a program passes to its calls.
struct lock_owner {
    enum class kind { thread, token } origin = kind::thread;
    std::size_t number = 0;
    [[nodiscard]] bool is_thread() const noexcept { return origin == kind::thread; }
    friend auto operator<=>(const lock_owner&, const lock_owner&) = default;
};

class recipe_observer {
public:
    recipe_observer() = default;
    recipe_observer(const recipe_observer&) = delete;
    recipe_observer& operator=(const recipe_observer&) = delete;
    virtual ~recipe_observer() = default;

    // A client is about to send a commit of `parts`, which writes `text`. No other commit writes this text. The commit
    // requires this hold, and further holds with the znodes `standing`.
    virtual void on_commit(const std::string& /*text*/, contender_key /*hold*/,
                           const std::vector<core::write_part>& /*parts*/,
                           const std::vector<std::string>& /*standing*/) {}
    virtual void on_commit_answer(const std::string& /*text*/,
                                  const core::commit_outcome& /*outcome*/) {}
    // A participant begins to lead.
    virtual void on_term(contender_key /*hold*/, const std::string& /*participant*/) {}
    // An owner of a re-entrant lock enters this hold, perhaps again, or leaves it. `now` is on the clock of the hold's
    // client.
    virtual void on_share(contender_key /*hold*/, const lock_owner& /*owner*/,
                          core::time_point /*now*/) {}
    virtual void on_share_left(contender_key /*hold*/, const lock_owner& /*caller*/) {}
    // on_owner() reports the caller of an acquire, as a text. A real contender has this text in its metadata.
    virtual void on_owner(contender_key /*key*/, const std::string& /*owner*/) {}
    [[nodiscard]] virtual std::string owner_of(const std::string& /*data*/) const { return {}; }
    virtual void on_deadlock(contender_key /*key*/, const deadlock& /*found*/) {}
    virtual void after_event() {}
};

}  // namespace turnstile::simulation
