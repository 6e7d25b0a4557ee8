// SPDX-License-Identifier: Apache-2.0
#include "simulation/sim_client.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "simulation/describe.hpp"

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;
constexpr int k_most_spins = 100;
constexpr double k_open_fails = 0.02;

// Returns true if an action closes the session. From then on the client knows that the session and its znodes have
// ended.
bool gives_up_session(const std::vector<core::action>& some) {
    return std::any_of(some.begin(), some.end(), [](const core::action& action) {
        return std::holds_alternative<core::close_session>(action);
    });
}

core::session_core_settings settings(const scenario& scenario, client_id id) {
    core::session_core_settings result{scenario.rule, scenario.confirm_every};
    result.removals = scenario.removals;
    result.creations = scenario.creations;
    result.window = scenario.window;
    result.watched_in_line = scenario.watched_in_line;
    result.watches = scenario.watches;
    result.numbers_count_creates = scenario.kind == server_kind::ensemble;
    result.place = scenario.place;
    result.roles_asked = scenario.roles_known || scenario.place != core::placement::anywhere;
    result.retry_first = 50ms;
    result.retry_longest = 1s;
    result.connection_timeout = scenario.connection_timeout;
    result.chance = base::random{scenario.seed * 64 + id};
    result.servers = "simulated";
    return result;
}

}  // namespace

sim_client::sim_client(client_id id, const client_plan& plan, const surroundings& around)
    : id_{id},
      around_{around},
      plan_{plan},
      clock_{plan_.clock_offset, plan_.clock_parts_per_million},
      core_{settings(around.scenario, id)} {}

void sim_client::start(std::unique_ptr<application> application) {
    application_ = std::move(application);
    step([this] { core_.on(core::start{}, local_now()); });
    application_->start();
}

core::time_point sim_client::local_now() const {
    return clock_.local(around_.future.now());
}

core::time_point sim_client::valid_until() const {
    const auto& scenario = around_.scenario;
    if (scenario.trial.heard_part > 0)
        return heard_ + dice::part(scenario.time.session_timeout, scenario.trial.heard_part);
    return core_.session_lease().valid_until();
}

// Returns true if no caller waits or holds. Ignores keep-alive requests, because with several clients a keep-alive
// request may be in progress at each instant.
bool sim_client::at_rest() const {
    if (crashed_ || closed_) return true;
    return application_->at_rest() && !closing_ && core_.idle();
}

bool sim_client::quiet() const {
    return crashed_ || closed_ || (at_rest() && session_ && session_->attached());
}

void sim_client::look_at_connection() {
    const auto by = session_ ? session_->connection() : std::nullopt;
    const auto* on = by ? around_.links.find(*by) : nullptr;
    // A throttled client repeats its discarded requests after a pause, some of them much later.
    const bool throttled = around_.links.throttled(id_, around_.scenario.time.session_timeout);
    if (on == nullptr || on->cut || !on->server_open || !session_->attached() || throttled)
        undisturbed_since_ = around_.future.now();
}

// ---- execution of the core's actions --------------------------------------------------------

template <class F>
void sim_client::step(F&& body) {
    const auto session = core_.session_id();
    body();
    auto actions = core_.take();
    if (gives_up_session(actions)) around_.records.on_expired(session);
    for (auto& action : actions) execute(std::move(action));
    around_.records.on_step(id_);
    collect();
    arm();
    if (closing_ && !closed_ && core_.idle()) finish_close();
}

void sim_client::execute(core::action&& action) {
    const auto now = around_.future.now();
    if (auto* request = std::get_if<core::submit>(&action)) {
        around_.story.note(now, [&] {
            return fmt::format("client {} asks {}: {}", id_,
                               static_cast<std::uint64_t>(request->request.id),
                               describe(request->request.op));
        });
        if (session_) session_->submit(std::move(request->request), local_now());
    } else if (const auto* forget = std::get_if<core::forget_watches>(&action)) {
        around_.story.note(
            now, [&] { return fmt::format("client {} forgets watches on {}", id_, forget->path); });
        if (session_) session_->forget_watches(forget->path);
    } else if (const auto* sought = std::get_if<core::seek_leader>(&action)) {
        around_.story.note(now, [&] { return fmt::format("client {} seeks the leader", id_); });
        if (session_) session_->seek_leader(sought->connection);
    } else if (const auto* wanted = std::get_if<core::look_elsewhere>(&action)) {
        around_.story.note(now, [&] { return fmt::format("client {} hears nothing", id_); });
        if (session_) session_->look_for_another(*wanted);
    } else if (const auto* left = std::get_if<core::leave_server>(&action)) {
        around_.story.note(now, [&] { return fmt::format("client {} leaves its server", id_); });
        if (session_) session_->leave_server(left->connection);
    } else if (const auto* open = std::get_if<core::open_session>(&action)) {
        if (around_.chance.chance(k_open_fails) && around_.faults.draw_strike([this] {
                return fmt::format("client {} cannot open a session", id_);
            })) {
            inbox_.emplace_back(core::open_failed{open->epoch});
            around_.future.after({}, inbox_due{id_});
        } else {
            open_session(open->epoch);
        }
    } else if (const auto* end = std::get_if<core::close_session>(&action)) {
        if (session_) {
            session_->end(end->manner == core::close_session::how::orderly
                              ? server_session::ending::orderly
                              : server_session::ending::abandoned);
            around_.future.after(around_.chance.up_to(around_.scenario.time.session_timeout),
                                 late_event_due{id_, session_->epoch()});
        }
        session_.reset();
    } else if (const auto* told = std::get_if<core::notice>(&action)) {
        hear(*told);
    } else if (const auto* told_answer = std::get_if<core::answer>(&action)) {
        application_->answered(*told_answer);
    } else if (const auto* done = std::get_if<core::commit_answer>(&action)) {
        const auto text = commits_.extract(done->id);
        around_.story.note(now, [&] {
            const auto* why = std::get_if<error>(&done->outcome);
            return fmt::format("client {}: \"{}\": {}", id_, text.mapped(),
                               why == nullptr ? "written" : why->message());
        });
        around_.recipes.on_commit_answer(text.mapped(), done->outcome);
        application_->answered(*done);
    } else if (const auto* state = std::get_if<core::changed>(&action)) {
        around_.records.on_state(id_, state->step);
        around_.story.note(now, [&] {
            return fmt::format("client {} is {}: {}", id_, to_string(state->step.to),
                               state->reason);
        });
    } else if (const auto* warned = std::get_if<core::warning>(&action)) {
        const auto text = fmt::format("client {} warns: {}", id_, warned->text);
        around_.story.note(now, [&] { return text; });
    }
}

void sim_client::hear(const core::notice& notice) {
    around_.story.note(around_.future.now(),
                       [&] { return fmt::format("client {}: {}", id_, describe(notice)); });
    around_.story.mix(notice.event.index());
    around_.records.on_notice(id_, notice);
    application_->hear(notice);
}

void sim_client::collect() {
    if (!session_) return;
    for (const auto& path : session_->take_woken()) around_.records.on_woken(id_, path);
    for (auto& event : session_->take()) {
        inbox_.emplace_back(core::from_session{session_->epoch(), std::move(event)});
        around_.future.after(around_.chance.up_to(200us), inbox_due{id_});
    }
}

void sim_client::arm() {
    const auto next = core_.next_deadline();
    if (!next || closed_) return;
    // A timer at the first instant of a history is due at once.
    const auto when = clock_.when(std::max(*next, local_now()));
    if (armed_ && *armed_ <= when + around_.scenario.time.timer_lateness) return;
    armed_ = std::max(when, around_.future.now()) +
             around_.chance.up_to(around_.scenario.time.timer_lateness);
    around_.future.at(*armed_, timer_due{id_});
}

void sim_client::on(const timer_due&) {
    if (armed_ && *armed_ <= around_.future.now()) armed_.reset();
    step([this] { core_.on_time(local_now()); });
    const auto next = core_.next_deadline();
    spins_ = next && *next <= local_now() ? spins_ + 1 : 0;
    if (spins_ > k_most_spins) around_.records.on_spin(id_);
}

void sim_client::on(const inbox_due&) {
    if (inbox_.empty()) return;
    auto next = std::move(inbox_.front());
    inbox_.pop_front();
    if (const auto* told = std::get_if<core::from_session>(&next)) {
        around_.story.note(around_.future.now(), [&] {
            return fmt::format("client {} hears: {}", id_, describe(told->event));
        });
        const auto* answer = std::get_if<core::reply>(&told->event);
        if (answer != nullptr && answer->outcome == core::outcome::answered) heard_ = local_now();
        const auto* link = std::get_if<core::link_event>(&told->event);
        if (link != nullptr && told->epoch == core_.epoch()) {
            const bool other = core_.session_id() != 0 && link->session_id != core_.session_id();
            if (other || link->kind == core::link_kind::expired)
                around_.records.on_expired(core_.session_id());
        }
    }
    step([&] { core_.on(next, local_now()); });
}

void sim_client::on(const late_event_due& event) {
    core::link_event told;
    told.kind = around_.chance.chance(0.5) ? core::link_kind::detached : core::link_kind::expired;
    step([&] { core_.on(core::from_session{event.epoch, told}, local_now()); });
}

// ---- calls by the application ---------------------------------------------------------------

void sim_client::acquire(core::acquire&& call) {
    begin_acquire(call);
    step([&] { core_.on(call, local_now()); });
}

void sim_client::acquire_together(std::vector<core::acquire>&& calls) {
    for (auto& call : calls) begin_acquire(call);
    step([&] { core_.on(core::acquire_together{std::move(calls)}, local_now()); });
}

void sim_client::begin_acquire(core::acquire& call) {
    call.id = next_id();
    ++contenders_;
    call.settings.data = history::tag({id_, call.id});
    contender_record record;
    record.folder = call.settings.folder;
    record.wants = call.settings.wants;
    record.limit = call.settings.limit;
    record.once = call.settings.mode == core::attempt::once;
    record.enters_again = call.settings.waiters == session_loss_policy::enter_again;
    record.deadline = call.deadline;
    record.max_hold = call.max_hold;
    around_.story.note(around_.future.now(), [&] {
        return call.settings.data.str() + " wants " + call.settings.folder.str();
    });
    around_.records.on_call({id_, call.id}, std::move(record));
}

void sim_client::release(core::contender_id which) {
    const contender_key key{id_, which};
    around_.story.note(around_.future.now(), [&] { return history::tag(key) + " releases"; });
    around_.records.on_left(key);
    step([&] { core_.on(core::leave{which}, local_now()); });
}

void sim_client::release_together(std::vector<core::contender_id>&& all) {
    for (const auto which : all) {
        const contender_key key{id_, which};
        around_.story.note(around_.future.now(), [&] { return history::tag(key) + " releases"; });
        around_.records.on_left(key);
    }
    step([&] { core_.on(core::leave_together{std::move(all)}, local_now()); });
}

void sim_client::cancel(core::contender_id which) {
    const contender_key key{id_, which};
    around_.story.note(around_.future.now(), [&] { return history::tag(key) + " cancels"; });
    around_.records.on_cancel(key);
    step([&] { core_.on(core::cancel{which}, local_now()); });
    around_.records.on_given_up(key);
}

void sim_client::rename(core::contender_id which, core::claim_kind kind) {
    around_.records.on_rename({id_, which}, kind);
    step([&] { core_.on(core::rename{which, kind}, local_now()); });
}

void sim_client::read(core::operation&& operation, core::duration timeout) {
    const core::inquiry_id question{++contenders_};
    step([&] {
        core_.on(core::read{question, std::move(operation), local_now() + timeout}, local_now());
    });
}

void sim_client::commit(core::contender_id hold, std::vector<core::write_part>&& parts,
                        std::string text, core::duration timeout,
                        std::vector<std::string>&& standing) {
    const core::commit_id id{++contenders_};
    around_.story.note(around_.future.now(), [&] {
        return fmt::format("{} commits \"{}\"", history::tag({id_, hold}), text);
    });
    around_.recipes.on_commit(text, {id_, hold}, parts, standing);
    commits_.emplace(id, std::move(text));
    step([&] {
        core_.on(
            core::commit{id, hold, std::move(parts), local_now() + timeout, std::move(standing)},
            local_now());
    });
}

void sim_client::begins_to_lead(core::contender_id hold, const std::string& as) {
    const contender_key key{id_, hold};
    around_.story.note(around_.future.now(), [&] { return as + " leads by " + history::tag(key); });
    around_.recipes.on_term(key, as);
}

void sim_client::takes_share(core::contender_id hold, const lock_owner& owner) {
    const contender_key key{id_, hold};
    around_.story.note(around_.future.now(), [&] { return history::tag(key) + " is entered"; });
    around_.recipes.on_share(key, owner, local_now());
}

void sim_client::leaves_share(core::contender_id hold, const lock_owner& caller) {
    const contender_key key{id_, hold};
    around_.story.note(around_.future.now(), [&] { return history::tag(key) + " is left"; });
    around_.recipes.on_share_left(key, caller);
}

void sim_client::is_owned(core::contender_id which, const std::string& owner) {
    around_.recipes.on_owner({id_, which}, owner);
}

std::string sim_client::owner_of(const std::string& data) const {
    return around_.recipes.owner_of(data);
}

void sim_client::gives_up(core::contender_id which, const deadlock& found) {
    around_.recipes.on_deadlock({id_, which}, found);
}

void sim_client::wake_after(core::duration pause, std::size_t worker, std::uint64_t serial) {
    around_.future.after(pause, worker_due{id_, worker, serial});
}

void sim_client::on(const worker_due& event) {
    application_->wake(event);
}

void sim_client::stop() {
    application_->stop();
}

// ---- the end of a client ----------------------------------------------------------------------

void sim_client::close() {
    if (closing_ || crashed_ || paused_) return;
    closing_ = true;
    around_.future.after(around_.scenario.time.session_timeout / 4, close_due{id_});
    step([this] { core_.on(core::close{}, local_now()); });
}

void sim_client::on(const close_due&) {
    if (!closed_) finish_close();
}

void sim_client::finish_close() {
    closed_ = true;
    if (session_) session_->end(server_session::ending::orderly);
    session_.reset();
    inbox_.clear();
    step([this] { core_.on(core::session_closed{}, local_now()); });
}

}  // namespace turnstile::simulation
