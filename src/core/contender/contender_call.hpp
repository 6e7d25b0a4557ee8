// SPDX-License-Identifier: Apache-2.0
// contender_call: gives a state of a contender access to the session, the settings and the next state while the state
// handles one event.
//
// A contender_call exists until the state has handled the event. Thread safety: none.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/check.hpp"
#include "core/contender/answers.hpp"
#include "core/contender/contender_session.hpp"
#include "core/contender/contender_settings.hpp"
#include "core/contender/contender_states.hpp"

namespace turnstile::core {

// Facts about a contender that stay valid when its state changes.
struct contender_facts {
    // True: the contender sends nothing more on this connection until an event reports a change of the connection, or
    // until a pause has passed.
    bool awaits_retry = false;
    bool permits_compared = false;  // the semaphore's limit was compared with the settings' limit
    friend bool operator==(const contender_facts&, const contender_facts&) = default;
};

class contender_call {
public:
    contender_call(contender_session& c, const contender_settings& wanted, contender_facts& known)
        : session{c}, settings{wanted}, facts{known} {}

    contender_session& session;
    const contender_settings& settings;
    contender_facts& facts;

    [[nodiscard]] const std::string& folder() const noexcept { return settings.folder.str(); }
    [[nodiscard]] std::string data() const { return contender_data(settings); }
    [[nodiscard]] bool may_ask() const { return session.attached() && !facts.awaits_retry; }

    // Handles a failed request, which must be sent again later. A late answer of an earlier connection does not suspend
    // the requests on the present connection.
    void suspend(const reply& answer) {
        // place: late_answer
        if (session.attached() && answer.connection < session.connection()) return;
        facts.awaits_retry = true;
        session.retry_later();
    }

    // Handles the answer to a request for the folder's children, which the state does not need. If the request must be
    // sent again, for example because its answer was lost, suspends the requests. Otherwise ignores the answer.
    void ignore_list(const reply& answer) {
        switch (classify(answer)) {
            case answer_class::ok:
            case answer_class::gone:
            case answer_class::forbidden: return;
            case answer_class::conflict:
            case answer_class::over_quota:
            case answer_class::bad_acl:
            case answer_class::elsewhere:
            case answer_class::retry: return suspend(answer);
        }
    }

    // Sets the next state, at most once in a call. The calling state must then return at once, because its data may
    // have been moved into the next state.
    template <class State>
    void enter(State&& next) {
        TURNSTILE_CHECK(!next_);
        next_.emplace(std::in_place_type<std::decay_t<State>>, std::forward<State>(next));
        steps_ = true;
    }
    void end() {
        session.tell(gone{});
        enter(state::over{});
    }
    [[nodiscard]] bool leaves_state() const noexcept { return next_.has_value(); }
    [[nodiscard]] std::optional<contender_state>& next() noexcept { return next_; }

    // Lets the state send its next requests at once.
    void step() noexcept { steps_ = true; }
    [[nodiscard]] bool steps() const noexcept { return steps_; }

private:
    std::optional<contender_state> next_;
    bool steps_ = false;
};

}  // namespace turnstile::core
