// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_core.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.hpp"
#include "core/session/contender_steps.hpp"
#include "core/session/data_call_steps.hpp"
#include "core/session/due_times.hpp"
#include "core/session/entry_steps.hpp"
#include "core/session/link_steps.hpp"
#include "core/session/reply_steps.hpp"
#include "core/session/timer_steps.hpp"

namespace turnstile::core {

namespace {

class event_router {
public:
    explicit event_router(session_owners& owners) : owners_{owners} {}

    void operator()(const start&) const { link_steps{owners_}.open(); }
    void operator()(const open_failed& failure) const {
        link_steps{owners_}.on_open_failed(failure);
    }
    void operator()(const clock_stepped& step) const { link_steps{owners_}.on_clock_stepped(step); }
    void operator()(const close&) const { link_steps{owners_}.close(); }
    void operator()(const session_closed&) const { link_steps{owners_}.on_closed(); }

    void operator()(const acquire& request) const { contender_steps{owners_}.acquire(request); }
    void operator()(const leave& request) const { contender_steps{owners_}.leave(request); }
    void operator()(const acquire_together& request) const {
        entry_steps{owners_}.acquire(request);
    }
    void operator()(const leave_together& request) const {
        contender_steps{owners_}.leave(request);
    }
    void operator()(const cancel& request) const {
        std::visit([&](auto id) { cancel_one(id, request.why); }, request.id);
    }
    void operator()(const rename& request) const { contender_steps{owners_}.rename(request); }
    void operator()(const commit& request) const { commit_steps{owners_}.commit(request); }
    void operator()(const read& request) const {
        TURNSTILE_CHECK(!is_write(request.op));
        inquiry_steps{owners_}.start(request.id, request.op, request.deadline);
    }
    void operator()(const repeated_write& request) const {
        TURNSTILE_CHECK(is_write(request.op));
        inquiry_steps{owners_}.start(request.id, request.op, request.deadline, request.only_on);
    }

    void operator()(const from_session& message) const {
        // place: event_of_this_epoch
        if (!owners_.link.has_epoch() || message.epoch != owners_.epochs.count()) return;
        std::visit(*this, message.event);
    }
    void operator()(const reply& answer) const { reply_steps{owners_}.on_reply(answer); }
    void operator()(const watch_event& event) const { contender_steps{owners_}.on_watch(event); }
    void operator()(const link_event& event) const {
        if (link_steps{owners_}.on_link(event)) timer_steps{owners_}.on_time();
    }

private:
    void cancel_one(contender_id id, const error& why) const {
        contender_steps{owners_}.cancel(id, why);
    }
    void cancel_one(inquiry_id id, const error& why) const {
        inquiry_steps{owners_}.answer(id, why);
    }
    void cancel_one(commit_id id, const error& why) const { commit_steps{owners_}.cancel(id, why); }

    session_owners& owners_;
};

}  // namespace

// Notes a stop of the process if more than half a session timeout has passed between two inputs. An attached session
// always gets an input within that time (due::keep_alive). A session without a server gets no such input, so a note may
// be wrong. If a note is wrong, a contender that cannot be granted waits longer than necessary, by at most one session
// timeout. While a session is being opened, its timeout is zero, so each gap counts as a stop.
void session_core::come_to(time_point now) {
    auto& latest = owners_.basics.now;
    const auto before = std::exchange(latest, std::max(latest, now));
    // place: stop_is_noticed
    if (latest - before > owners_.link.session_lease().timeout() / 2)
        owners_.placement.note_stop(latest);
}

void session_core::on(const input& event, time_point now) {
    come_to(now);
    timer_steps timer{owners_};
    timer.judge_lease();  // place: lease_is_judged_first
    std::visit(event_router{owners_}, event);
    timer.finish();
}

void session_core::on_time(time_point now) {
    come_to(now);
    timer_steps{owners_}.on_time();
}

std::optional<time_point> session_core::next_deadline() const {
    return due::next(owners_);
}

}  // namespace turnstile::core
