// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_core.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.hpp"
#include "base/never_destroyed.hpp"
#include "core/session/commit_steps.hpp"
#include "core/session/contender_steps.hpp"
#include "core/session/due_times.hpp"
#include "core/session/link_steps.hpp"
#include "core/session/reply_steps.hpp"
#include "core/session/request_steps.hpp"
#include "core/session/timer_steps.hpp"

namespace turnstile::core {

namespace {

// Each event to the steps that it is for.
class event_router {
public:
    explicit event_router(client_life& life) : life_{life} {}

    void operator()(const start&) const { link_steps{life_}.open(); }
    void operator()(const open_failed& failure) const { link_steps{life_}.on_open_failed(failure); }
    void operator()(const clock_stepped& step) const { link_steps{life_}.on_clock_stepped(step); }
    void operator()(const close&) const { link_steps{life_}.close(); }
    void operator()(const session_closed&) const { link_steps{life_}.on_closed(); }

    void operator()(const acquire& request) const { contender_steps{life_}.acquire(request); }
    void operator()(const leave& request) const { contender_steps{life_}.leave(request); }
    void operator()(const acquire_together& request) const {
        contender_steps{life_}.acquire(request);
    }
    void operator()(const leave_together& request) const { contender_steps{life_}.leave(request); }
    void operator()(const cancel& request) const {
        std::visit([&](auto id) { cancel_one(id, request.why); }, request.id);
    }
    void operator()(const rename& request) const { contender_steps{life_}.rename(request); }
    void operator()(const commit& request) const { commit_steps{life_}.commit(request); }
    void operator()(const read& request) const {
        TURNSTILE_CHECK(!is_write(request.op));
        request_steps{life_}.start_inquiry(request.id, request.op, request.deadline);
    }
    void operator()(const repeated_write& request) const {
        TURNSTILE_CHECK(is_write(request.op));
        request_steps{life_}.start_inquiry(request.id, request.op, request.deadline,
                                           request.only_on);
    }

    // What comes of an earlier session is dropped.
    void operator()(const from_session& message) const {
        // place: event_of_this_epoch
        if (!life_.epoch || message.epoch != life_.epochs) return;
        std::visit(*this, message.event);
    }
    void operator()(const reply& answer) const { reply_steps{life_}.on_reply(answer); }
    void operator()(const watch_event& event) const { contender_steps{life_}.on_watch(event); }
    void operator()(const link_event& event) const {
        if (link_steps{life_}.on_link(event)) timer_steps{life_}.on_time();
    }

private:
    void cancel_one(acquisition_id id, const error& why) const {
        contender_steps{life_}.cancel(id, why);
    }
    void cancel_one(inquiry_id id, const error& why) const {
        request_steps{life_}.answer_inquiry(id, why);
    }
    void cancel_one(commit_id id, const error& why) const { commit_steps{life_}.cancel(id, why); }

    client_life& life_;
};

}  // namespace

// A gap of half a time-out between two inputs counts as a stop of the process. An attached session always has something
// to do within that time (due::keep_alive). A session without a server may just have been idle: then a contender that
// cannot be granted anything waits longer, by one time-out at most. While a session is opened its time-out is zero.
void session_core::come_to(time_point now) {
    const auto before = std::exchange(life_.now, std::max(life_.now, now));
    // place: stop_is_noticed
    if (life_.now - before > life_.lease.timeout() / 2) life_.awake_since = life_.now;
}

void session_core::on(const input& event, time_point now) {
    come_to(now);
    timer_steps timer{life_};
    timer.judge_lease();  // place: lease_is_judged_first
    std::visit(event_router{life_}, event);
    timer.finish();
}

void session_core::on_time(time_point now) {
    come_to(now);
    timer_steps{life_}.on_time();
}

std::optional<time_point> session_core::next_deadline() const {
    return due::next(life_);
}

server_role session_core::role() const noexcept {
    if (const auto* connection = life_.attached()) return connection->role;
    const bool read_only =
        life_.epoch && std::holds_alternative<read_only_server>(life_.epoch->link);
    return read_only ? server_role::read_only : server_role::unknown;
}

const std::string& session_core::server() const noexcept {
    static const base::undestroyed<std::string> none;
    if (const auto* connection = life_.attached()) return connection->server;
    if (!life_.epoch) return none.value;
    const auto* cut_off = std::get_if<read_only_server>(&life_.epoch->link);
    return cut_off != nullptr ? cut_off->server : none.value;
}

}  // namespace turnstile::core
