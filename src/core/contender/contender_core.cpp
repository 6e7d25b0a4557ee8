// SPDX-License-Identifier: Apache-2.0
#include "core/contender/contender_core.hpp"

#include <array>
#include <type_traits>
#include <variant>

#include "base/check.hpp"
#include "base/path.hpp"
#include "core/contender/state_queries.hpp"

// The contender passes each event to its current state. If the state returns a next state, the contender enters it.
namespace turnstile::core {

namespace {

using state::creating;
using state::entering;
using state::held;
using state::leaving;
using state::outside;
using state::standing;
using state::unsure;

template <class State>
constexpr bool k_is_entering = std::is_base_of_v<entering, State>;
template <class State>
constexpr bool k_stands = std::is_base_of_v<standing, State>;
// True for the states in which the contender's znode exists, and its caller waits for the lock or holds it.
template <class State>
constexpr bool k_is_wanted =
    std::is_base_of_v<state::waiting, State> || std::is_same_v<State, held>;

// The table in contender_core.hpp: each row is a state, with the states that may follow it.
constexpr std::size_t k_states = std::variant_size_v<contender_state>;
constexpr std::array<std::array<bool, k_states>, k_states> k_may_follow{{
    // Columns of the table: outside, creating, unsure, queued, first, held, leaving, over
    {true, true, false, false, false, false, true, true},      // outside
    {true, false, true, true, true, false, true, false},       // creating
    {true, false, false, true, false, false, true, false},     // unsure
    {true, false, false, false, true, false, true, false},     // queued
    {true, false, false, true, false, true, true, false},      // first
    {false, false, false, false, false, false, true, true},    // held
    {false, false, false, false, false, false, false, true},   // leaving
    {false, false, false, false, false, false, false, false},  // over
}};

// An event causes at most this many steps. A step can enter another state, whose first step follows at once.
constexpr int k_most_steps = 4;

struct check_entry {
    void operator()(const outside& /*next*/) const {}
    void operator()(const creating& next) const {
        TURNSTILE_CHECK(!next.guid.empty());
        TURNSTILE_CHECK(next.sent);
        TURNSTILE_CHECK(!next.given_up);
    }
    void operator()(const unsure& next) const {
        TURNSTILE_CHECK(!next.guid.empty());
        TURNSTILE_CHECK(next.verified_on == 0);
        TURNSTILE_CHECK(next.name.empty());
    }
    void operator()(const state::queued& next) const {
        TURNSTILE_CHECK(!next.name.empty());
        TURNSTILE_CHECK(next.awaited.empty());
        TURNSTILE_CHECK(!next.low_water.reads());
        TURNSTILE_CHECK(!next.rename->is_wanted());
    }
    void operator()(const state::first& next) const {
        TURNSTILE_CHECK(!next.name.empty());
        TURNSTILE_CHECK(next.listed_on != 0);
        TURNSTILE_CHECK(!next.low_water.reads());
        TURNSTILE_CHECK(!next.rename->is_wanted());
    }
    void operator()(const held& next) const {
        TURNSTILE_CHECK(!next.name.empty());
        TURNSTILE_CHECK(next.token != fencing_token{});
        TURNSTILE_CHECK(!next.rename->is_wanted());
    }
    void operator()(const leaving& next) const {
        TURNSTILE_CHECK(!next.name.empty());
        TURNSTILE_CHECK(!next.removing);
    }
    void operator()(const state::over& /*next*/) const {}
};

}  // namespace

contender_core contender_core::leftover(const std::string& folder, const std::string& name) {
    contender_core found{{folder, {}, attempt::wait, session_loss_policy::fail}};
    leaving place;
    place.name = name;
    found.enter(std::move(place));
    return found;
}

// ---- transitions ----------------------------------------------------------------------------

void contender_core::enter(contender_state&& next) {
    TURNSTILE_CHECK(k_may_follow[state_.index()][next.index()]);
    std::visit(check_entry{}, next);
    state_ = std::move(next);
}

template <class Event>
void contender_core::handle(contender_session& c, Event&& event) {
    contender_call call{c, settings_, facts_};
    std::visit([&](auto& current) { event(current, call); }, state_);
    if (call.next()) enter(std::move(*call.next()));
    if (call.steps()) step(c);
}

template <class State, class Event>
void contender_core::handle_if(contender_session& c, Event&& event) {
    if (!is<State>()) return;
    handle(c, [&event](auto& current, contender_call& call) {
        if constexpr (std::is_same_v<std::decay_t<decltype(current)>, State>) event(current, call);
    });
}

void contender_core::step(contender_session& c) {
    for (int steps = 0;; ++steps) {
        TURNSTILE_CHECK(steps < k_most_steps);
        contender_call call{c, settings_, facts_};
        std::visit(
            [&call](auto& current) {
                using current_state = std::decay_t<decltype(current)>;
                if constexpr (!std::is_same_v<current_state, state::over>) current.step(call);
            },
            state_);
        if (call.next()) enter(std::move(*call.next()));
        if (!call.steps()) return;
    }
}

// ---- events ---------------------------------------------------------------------------------

void contender_core::on_reply(contender_session& c, const reply& answer) {
    handle(c, [&answer](auto& current, contender_call& call) {
        using current_state = std::decay_t<decltype(current)>;
        if constexpr (!std::is_same_v<current_state, state::over>) current.on_reply(call, answer);
        call.step();
    });
}

void contender_core::on_watch(contender_session& c, const watch_event& event) {
    handle(c, [&event](auto& current, contender_call& call) {
        if constexpr (k_stands<std::decay_t<decltype(current)>>) current.on_watch(call, event);
    });
}

void contender_core::on_attached(contender_session& c) {
    facts_.awaits_retry = false;  // place: goes_on_when_attached
    step(c);
}

void contender_core::on_detached(contender_session& c) {
    if (holds()) c.tell(at_risk{});  // place: tells_at_risk
    // Servers that restart from older data may assign a known version again, to other data of the folder or of the
    // crash mark (znode_texts.hpp). So on a new connection no write may rely on a version that was read before.
    std::visit(
        [](auto& current) {
            if constexpr (k_stands<std::decay_t<decltype(current)>>) {
                current.low_water.forget_version();
                if (current.delay.changed()) current.delay.change().forget_version();
            }
        },
        state_);
}

void contender_core::on_epoch_end(contender_session& c, const error& why) {
    facts_.awaits_retry = false;
    handle(c, [&why](auto& current, contender_call& call) {
        using current_state = std::decay_t<decltype(current)>;
        if constexpr (!std::is_same_v<current_state, state::over>) current.end_epoch(call, why);
    });
}

void contender_core::on_lease_end(contender_session& c, const error& why) {
    // place: lease_end_revokes
    handle_if<held>(c, [&why](held& hold, contender_call& call) { hold.revoke(call, why); });
}

void contender_core::watch_own_znode(contender_session& c) {
    // place: may_watch_own_znode
    handle(c, [](auto& current, contender_call& call) {
        if constexpr (k_is_wanted<std::decay_t<decltype(current)>>) current.watch_own(call);
    });
}

void contender_core::on_own_znode_gone(contender_session& c) {
    handle(c, [](auto& current, contender_call& call) {
        if constexpr (k_stands<std::decay_t<decltype(current)>>) current.lose_znode(call);
    });
}

void contender_core::on_own_znode_changed(contender_session& c) {
    handle(c, [](auto& current, contender_call& call) {
        using current_state = std::decay_t<decltype(current)>;
        if constexpr (k_stands<current_state>) current.own.was_changed();
        if constexpr (k_is_wanted<current_state>) current.watch_own(call);
    });
}

void contender_core::apply(contender_session& c, const reply& answer) {
    handle(c, [&answer](auto& current, contender_call& call) {
        if constexpr (k_is_wanted<std::decay_t<decltype(current)>>)
            current.apply_data(call, answer);
    });
}

void contender_core::on_delay_end(contender_session& c) {
    handle_if<state::first>(c, [](state::first& waiter, contender_call& call) {
        if (waiter.delay.changed()) waiter.delay.change().end_has_come();
        call.step();
    });
}

void contender_core::look_again(contender_session& c) {
    if (!c.attached() || !rests_on_events()) return;
    handle_if<state::queued>(
        c, [](state::queued& waiter, contender_call& call) { waiter.look_again(call); });
    handle_if<held>(c, [](held& hold, contender_call& call) { hold.look_again(call); });
}

void contender_core::rename(contender_session& c, claim_kind kind) {
    handle_if<held>(c, [kind](held& hold, contender_call& call) { hold.begin_rename(call, kind); });
}

void contender_core::leave(contender_session& c, const error& why) {
    handle(c, [&why](auto& current, contender_call& call) {
        using current_state = std::decay_t<decltype(current)>;
        if constexpr (k_is_entering<current_state> || k_is_wanted<current_state>)
            current.leave(call, why);
    });
}

void contender_core::revoke(contender_session& c, const error& why) {
    if (!holds()) return leave(c, why);
    handle_if<held>(c, [&why](held& hold, contender_call& call) { hold.revoke(call, why); });
}

void contender_core::version_became(std::int32_t version) noexcept {
    std::visit(
        [version](auto& current) {
            if constexpr (k_stands<std::decay_t<decltype(current)>>) current.version = version;
        },
        state_);
}

// ---- state ----------------------------------------------------------------------------------

bool contender_core::waits() const noexcept {
    if (const auto* const here = std::get_if<outside>(&state_)) return !here->given_up;
    if (const auto* const here = std::get_if<creating>(&state_)) return !here->given_up;
    if (const auto* const here = std::get_if<unsure>(&state_)) return !here->given_up;
    return is<state::queued>() || is<state::first>();
}

bool contender_core::waits_to_enter() const noexcept {
    const auto* const here = std::get_if<outside>(&state_);
    return here != nullptr && !here->given_up && !here->parents->is_under_way() &&
           !facts_.awaits_retry;
}

bool contender_core::rests_on_events() const noexcept {
    if (facts_.awaits_retry) return false;
    if (const auto* const waiter = std::get_if<state::queued>(&state_))
        return !waiter->awaited.empty();
    const auto* const hold = std::get_if<held>(&state_);
    return hold != nullptr && hold->behind->rests_on_event();
}

std::size_t contender_core::bytes_as(claim_kind kind) const {
    auto wants = settings_.wants;
    wants.kind = kind;
    return contender_bytes(folder(), wants);
}

std::string contender_core::znode() const {
    const auto* const place = standing_in(state_);
    return base::child_path(folder(), place == nullptr ? std::string{} : place->name);
}

std::optional<std::size_t> contender_core::ahead() const noexcept {
    if (holds() || is<state::first>()) return 0;
    const auto* const waiter = std::get_if<state::queued>(&state_);
    return waiter == nullptr ? std::nullopt : std::optional<std::size_t>{waiter->ahead};
}

claim_kind contender_core::kind() const noexcept {
    const auto* const place = standing_in(state_);
    return place == nullptr ? settings_.wants.kind : place->kind;
}

}  // namespace turnstile::core
