#include "simulation/sim_client.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "simulation/describe.hpp"

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr int k_most_spins = 100;
constexpr auto k_timers_last = 2ms;
constexpr double k_open_fails = 0.02;
constexpr double k_asks = 0.1;

core::session_core_settings settings(const scenario& what, client_id id) {
    core::session_core_settings made;
    made.timeout = what.time.session_timeout;
    made.lease = what.rule;
    made.confirm_every = what.confirm_every;
    made.retry_first = 50ms;
    made.retry_longest = 1s;
    made.chance = base::random{what.seed * 64 + id};
    made.servers = "simulated";
    return made;
}

}  // namespace

sim_client::sim_client(client_id id, const surroundings& around)
    : id_{id},
      around_{around},
      plan_{around.what.clients[id]},
      clock_{plan_.clock_offset, plan_.clock_parts_per_million},
      core_{settings(around.what, id)},
      workers_(plan_.workers) {}

void sim_client::start() {
    step([this] { core_.on(core::start{}, local_now()); });
    for (std::size_t i = 0; i != workers_.size(); ++i) {
        workers_[i].rounds = around_.chance.from_to(1, around_.what.rounds);
        plan(i, around_.chance.up_to(around_.what.time.session_timeout / 2));
    }
}

core::time_point sim_client::local_now() const {
    return clock_.local(around_.future.now());
}

bool sim_client::quiet() const {
    if (crashed_ || closed_) return true;
    const bool rest = std::all_of(workers_.begin(), workers_.end(), [](const worker& one) {
        return one.what == doing::resting || one.what == doing::done;
    });
    return rest && !closing_ && core_.idle() && inbox_.empty() && handle_ && handle_->attached() &&
           handle_->idle();
}

void sim_client::look_at_connection() {
    const auto by = handle_ ? handle_->connection() : std::nullopt;
    const auto* on = by ? around_.links.find(*by) : nullptr;
    if (on == nullptr || on->cut || !on->server_open || !handle_->attached())
        undisturbed_since_ = around_.future.now();
}

// ---- the shell ------------------------------------------------------------------------------

template <class F>
void sim_client::step(F&& what) {
    what();
    for (auto& one : core_.take()) carry_out(std::move(one));
    around_.judge.on_step(id_);
    collect();
    arm();
    if (closing_ && !closed_ && core_.idle()) finish_close();
}

void sim_client::carry_out(core::action&& what) {
    const auto now = around_.future.now();
    if (auto* request = std::get_if<core::submit>(&what)) {
        around_.story.note(now, [&] {
            return fmt::format("client {} asks {}: {}", id_,
                               static_cast<std::uint64_t>(request->what.id),
                               describe(request->what.op));
        });
        if (handle_) handle_->submit(std::move(request->what), local_now());
    } else if (const auto* forget = std::get_if<core::forget_watches>(&what)) {
        around_.story.note(
            now, [&] { return fmt::format("client {} forgets watches on {}", id_, forget->path); });
        if (handle_) handle_->forget_watches(forget->path);
    } else if (const auto* open = std::get_if<core::open_session>(&what)) {
        if (around_.chance.chance(k_open_fails)) {
            inbox_.emplace_back(core::open_failed{open->epoch});
            around_.future.after({}, inbox_due{id_});
        } else {
            handle_.emplace(id_, open->epoch, around_.what, around_.future, around_.chance,
                            around_.links);
        }
    } else if (const auto* end = std::get_if<core::close_session>(&what)) {
        if (handle_) {
            handle_->end(end->manner == core::close_session::how::orderly
                             ? handle::ending::orderly
                             : handle::ending::abandoned);
            around_.future.after(around_.chance.up_to(around_.what.time.session_timeout),
                                 late_event_due{id_, handle_->epoch()});
        }
        handle_.reset();
    } else if (const auto* told = std::get_if<core::notice>(&what)) {
        hear(*told);
    } else if (const auto* state = std::get_if<core::changed>(&what)) {
        around_.judge.on_state(id_, state->step);
        around_.story.note(now, [&] {
            return fmt::format("client {} is {}: {}", id_, to_string(state->step.to),
                               state->reason);
        });
    }
}

void sim_client::hear(const core::notice& what) {
    around_.story.note(around_.future.now(),
                       [&] { return fmt::format("client {}: {}", id_, describe(what)); });
    around_.story.mix(what.what.index());
    around_.judge.on_notice(id_, what);
    const auto found = std::find_if(workers_.begin(), workers_.end(), [&what](const worker& one) {
        return one.current == what.who &&
               (one.what == doing::waiting || one.what == doing::holding);
    });
    if (found == workers_.end()) return;
    const auto which = static_cast<std::size_t>(found - workers_.begin());
    const auto timeout = around_.what.time.session_timeout;
    if (std::holds_alternative<core::granted>(what.what)) {
        found->what = doing::holding;
        const bool beyond = !stopping_ && around_.chance.chance(around_.what.long_holds);
        plan(which, beyond ? around_.chance.between(timeout / 2, around_.what.longest_hold)
                           : around_.chance.up_to(around_.chance.chance(0.5) ? core::duration{20ms}
                                                                             : timeout / 4));
    } else if (std::holds_alternative<core::failed>(what.what) ||
               std::holds_alternative<core::lost>(what.what)) {
        found->what = doing::resting;
        plan(which, around_.chance.up_to(timeout / 4));
    }
}

// Takes over what the handle has to tell.
void sim_client::collect() {
    if (!handle_) return;
    for (const auto& path : handle_->take_woken()) around_.judge.on_woken(id_, path);
    for (auto& one : handle_->take()) {
        inbox_.emplace_back(core::from_session{handle_->epoch(), std::move(one)});
        around_.future.after(around_.chance.up_to(200us), inbox_due{id_});
    }
}

void sim_client::arm() {
    const auto next = core_.next_deadline();
    if (!next || closed_) return;
    const auto when = clock_.when(*next);
    if (armed_ && *armed_ <= when + around_.what.time.timer_lateness) return;
    armed_ = std::max(when, around_.future.now()) +
             around_.chance.up_to(around_.what.time.timer_lateness);
    around_.future.at(*armed_, timer_due{id_});
}

void sim_client::on(const timer_due&) {
    if (armed_ && *armed_ <= around_.future.now()) armed_.reset();
    step([this] { core_.on_time(local_now()); });
    const auto next = core_.next_deadline();
    spins_ = next && *next <= local_now() ? spins_ + 1 : 0;
    if (spins_ > k_most_spins) around_.judge.on_spin(id_);
}

void sim_client::on(const inbox_due&) {
    if (inbox_.empty()) return;
    auto next = std::move(inbox_.front());
    inbox_.pop_front();
    if (const auto* told = std::get_if<core::from_session>(&next)) {
        around_.story.note(around_.future.now(), [&] {
            return fmt::format("client {} hears: {}", id_, describe(told->event));
        });
        const auto* link = std::get_if<core::link_event>(&told->event);
        if (link != nullptr && told->epoch == core_.epoch()) {
            const bool other = core_.session_id() != 0 && link->session_id != core_.session_id();
            if (other || link->kind == core::link_kind::expired)
                around_.judge.on_expired(core_.session_id());
        }
    }
    step([&] { core_.on(next, local_now()); });
}

void sim_client::on(const late_event_due& what) {
    core::link_event told;
    told.kind = around_.chance.chance(0.5) ? core::link_kind::detached : core::link_kind::expired;
    step([&] { core_.on(core::from_session{what.epoch, told}, local_now()); });
}

// ---- the connection -------------------------------------------------------------------------

void sim_client::on(const at_client& what) {
    const auto* by = around_.links.find(what.connection);
    if (by == nullptr || by->cut || !handle_) return;
    handle_->receive(what.connection, what.what);
    collect();
}

void sim_client::on(const client_notices& what) {
    if (handle_) handle_->notice_break(what.connection);
    collect();
}

void sim_client::on(const connect_due& what) {
    if (handle_ && handle_->epoch() == what.epoch) handle_->connect();
}

void sim_client::on(const silence_due& what) {
    if (handle_) handle_->check_silence(what.connection);
    collect();
}

void sim_client::on(const role_learned& what) {
    if (handle_) handle_->learn_role(what.connection, what.role);
    collect();
}

// ---- application threads --------------------------------------------------------------------

void sim_client::plan(std::size_t which, core::duration pause) {
    around_.future.after(pause, worker_due{id_, which, ++workers_[which].serial});
}

void sim_client::on(const worker_due& what) {
    auto& one = workers_[what.worker];
    if (one.serial != what.serial) return;
    const acquisition_key key{id_, one.current};
    switch (one.what) {
        case doing::resting:
            if (stopping_ || one.rounds == 0) {
                one.what = doing::done;
            } else {
                --one.rounds;
                acquire(what.worker);
            }
            return;
        case doing::waiting:
            around_.story.note(around_.future.now(),
                               [&] { return history::tag(key) + " cancels"; });
            around_.judge.on_cancel(key);
            step([&] { core_.on(core::cancel{key.second}, local_now()); });
            return around_.judge.on_given_up(key);
        case doing::holding:
            around_.story.note(around_.future.now(),
                               [&] { return history::tag(key) + " releases"; });
            around_.judge.on_left(key);
            one.what = doing::resting;
            plan(what.worker, around_.chance.up_to(around_.what.time.session_timeout / 4));
            return step([&] { core_.on(core::leave{one.current}, local_now()); });
        case doing::done: return;
    }
}

void sim_client::acquire(std::size_t which) {
    auto& chance = around_.chance;
    const auto& what = around_.what;
    auto& one = workers_[which];
    one.current = core::acquisition_id{++acquisitions_};
    one.what = doing::waiting;
    core::acquire call;
    call.who = one.current;
    call.settings.folder = chance.pick(what.folders);
    call.settings.data = history::tag({id_, one.current});
    call.settings.mode = chance.chance(what.once) ? core::attempt::once : core::attempt::wait;
    call.settings.waiters =
        plan_.enters_again ? on_session_loss::enter_again : on_session_loss::fail;
    if (chance.chance(what.with_deadline))
        call.deadline = local_now() + chance.up_to(what.time.session_timeout * 3 / 2);
    if (chance.chance(what.cancelled)) plan(which, chance.up_to(what.time.session_timeout));
    acquisition_record record;
    record.folder = call.settings.folder;
    record.once = call.settings.mode == core::attempt::once;
    record.enters_again = plan_.enters_again;
    record.deadline = call.deadline;
    around_.story.note(around_.future.now(),
                       [&] { return call.settings.data + " wants " + call.settings.folder; });
    around_.judge.on_call({id_, one.current}, std::move(record));
    step([&] { core_.on(call, local_now()); });
    if (chance.chance(k_asks)) {
        const core::acquisition_id question{++acquisitions_};
        step([&] {
            core_.on(core::ask{question, core::children_op{call.settings.folder},
                               local_now() + what.time.session_timeout},
                     local_now());
        });
    }
}

void sim_client::stop() {
    stopping_ = true;
    for (std::size_t i = 0; i != workers_.size(); ++i) {
        if (workers_[i].what == doing::holding)
            plan(i, around_.chance.up_to(around_.what.time.session_timeout));
    }
}

// ---- faults ---------------------------------------------------------------------------------

void sim_client::pause(core::duration length) {
    if (paused_ || crashed_) return;
    paused_ = true;
    paused_since_ = around_.future.now();
    around_.future.after(length, resumes{id_});
}

void sim_client::on(const resumes&) {
    if (!paused_ || crashed_) return;
    paused_ = false;
    const auto now = around_.future.now();
    awake_since_ = now;
    undisturbed_since_ = now;
    // The real client looks at its own clock before it reads what has come.
    const bool impatient = now - paused_since_ > around_.what.time.session_timeout * 2 / 3;
    if (impatient && handle_ && handle_->connection() && around_.chance.chance(0.5))
        handle_->notice_break(*handle_->connection());
    auto waiting = std::exchange(waiting_, {});
    // Which thread of the process runs first is open; each one's events keep their order.
    const auto timers = around_.chance.below(2);
    const auto users = around_.chance.below(2);
    std::stable_sort(waiting.begin(), waiting.end(), [&](const event& a, const event& b) {
        const auto rank = [&](const event& e) {
            if (std::holds_alternative<timer_due>(e)) return timers == 0 ? 0 : 3;
            if (std::holds_alternative<worker_due>(e)) return users == 0 ? 1 : 4;
            return 2;
        };
        return rank(a) < rank(b);
    });
    // A timer thread that comes last comes after what the completion thread has read meanwhile.
    const auto timers_run = now + (timers == 0 ? core::duration{} : k_timers_last);
    for (auto& one : waiting) {
        const bool timer = std::holds_alternative<timer_due>(one);
        around_.future.at(timer ? timers_run : now, std::move(one));
    }
    collect();
}

void sim_client::crash() {
    if (crashed_) return;
    crashed_ = true;
    waiting_.clear();
    if (handle_) handle_->end(handle::ending::crashed);
    handle_.reset();
    around_.judge.on_crash(id_);
}

void sim_client::close() {
    if (closing_ || crashed_ || paused_) return;
    closing_ = true;
    around_.future.after(around_.what.time.session_timeout / 4, close_due{id_});
    step([this] { core_.on(core::close{}, local_now()); });
}

void sim_client::on(const close_due&) {
    if (!closed_) finish_close();
}

void sim_client::finish_close() {
    closed_ = true;
    if (handle_) handle_->end(handle::ending::orderly);
    handle_.reset();
    inbox_.clear();
    step([this] { core_.on(core::session_closed{}, local_now()); });
}

}  // namespace turnstile::simulation
