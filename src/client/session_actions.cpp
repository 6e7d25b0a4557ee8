// SPDX-License-Identifier: Apache-2.0
// The functions with which a session_runner executes the actions of its core.
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "base/overloaded.hpp"
#include "base/release_if_empty.hpp"
#include "client/away_error.hpp"
#include "client/outage_watch.hpp"
#include "client/session_runner.hpp"

namespace turnstile::detail {

// Passes the coordinator's events to the runner, with the epoch to which they belong.
class session_runner::link final : public core::session_sink {
public:
    link(session_runner& runner, std::uint64_t epoch) : runner_{runner}, epoch_{epoch} {}
    void deliver(core::coordinator_event&& event) noexcept override {
        runner_.deliver(epoch_, std::move(event));
    }

private:
    session_runner& runner_;
    const std::uint64_t epoch_;
};

// Executes each kind of action for the runner.
class session_runner::execution {
public:
    explicit execution(session_runner& runner) : runner_{runner} {}

    void operator()(core::submit& action) const REQUIRES(runner_.mutex_);
    void operator()(core::forget_watches& action) const REQUIRES(runner_.mutex_);
    void operator()(core::seek_leader& action) const REQUIRES(runner_.mutex_);
    void operator()(core::look_elsewhere& action) const REQUIRES(runner_.mutex_);
    void operator()(core::leave_server& action) const REQUIRES(runner_.mutex_);
    void operator()(core::open_session& action) const REQUIRES(runner_.mutex_);
    void operator()(core::close_session& action) const REQUIRES(runner_.mutex_);
    void operator()(core::notice& news) const REQUIRES(runner_.mutex_);
    void operator()(core::answer& answer) const REQUIRES(runner_.mutex_) {
        explain(answer.outcome);
        runner_.questions_.answer(answer);
    }
    void operator()(core::commit_answer& answer) const REQUIRES(runner_.mutex_) {
        explain(answer.outcome);
        runner_.on_answer(answer);
    }
    void operator()(core::changed& change) const REQUIRES(runner_.mutex_);
    void operator()(core::warning& warning) const REQUIRES(runner_.mutex_);

    // True if the next action is also a request.
    bool another_request = false;

private:
    // Completes an error of the core, which knows only that there is no session. The back end knows the cause.
    void explain(error& why) const {
        if (lacks_cause(why)) why = runner_.services_->outage->explain(why);
    }
    template <class Outcome>
    void explain(Outcome& outcome) const {
        if (auto* const why = std::get_if<error>(&outcome)) explain(*why);
    }

    session_runner& runner_;
};

void session_runner::execute() {
    core_.take(decided_);
    execution each{*this};
    for (std::size_t i = 0; i != decided_.size(); ++i) {
        each.another_request =
            i + 1 != decided_.size() && std::holds_alternative<core::submit>(decided_[i + 1]);
        std::visit([&each](auto& action) NO_THREAD_SAFETY_ANALYSIS { each(action); }, decided_[i]);
    }
    decided_.clear();
    base::release_if_empty(decided_);
}

void session_runner::publish() {
    if (core_.idle()) changed_.notify_all();
    const auto next = core_.next_deadline();
    if (!next || *next >= armed_ || closed_) return;
    armed_ = *next;
    services_->timers->arm(*this, *next);
}

void session_runner::execution::operator()(core::submit& action) const {
    if (!runner_.current_.handle) return;
    runner_.services_->requests.fetch_add(1, std::memory_order_relaxed);
    auto& session = *runner_.current_.handle;
    if (another_request) return session.submit_with_next(std::move(action.request));
    session.submit(std::move(action.request));
}

void session_runner::execution::operator()(core::forget_watches& action) const {
    if (runner_.current_.handle) runner_.current_.handle->forget_watches(action.path);
}

void session_runner::execution::operator()(core::seek_leader& action) const {
    if (runner_.current_.handle) runner_.current_.handle->seek_leader(action.connection);
}

void session_runner::execution::operator()(core::look_elsewhere& action) const {
    if (runner_.current_.handle) runner_.current_.handle->look_for_another(action);
}

void session_runner::execution::operator()(core::leave_server& action) const {
    log::write(log_level::info,
               "session epoch {}: {} does not answer on the session's connection, so the session "
               "moves to a server that answers the client on another connection",
               runner_.core_.epoch(), runner_.core_.server());
    if (runner_.current_.handle) runner_.current_.handle->leave_server(action.connection);
}

void contender_counts::count(const core::notice& news) noexcept {
    constexpr auto relaxed = std::memory_order_relaxed;
    const base::overloaded add{[this](const core::granted&) { granted.fetch_add(1, relaxed); },
                               [this](const core::failed&) { failed.fetch_add(1, relaxed); },
                               [this](const core::lost&) { lost.fetch_add(1, relaxed); },
                               [this](const core::gone&) { gone.fetch_add(1, relaxed); },
                               [](const core::entered&) {},
                               [](const core::queued&) {},
                               [](const core::at_risk&) {},
                               [](const core::expiring&) {},
                               [](const core::asked_to_release&) {},
                               [](const core::contended&) {},
                               [](const core::renamed&) {}};
    std::visit(add, news.event);
}

void session_runner::execution::operator()(core::notice& news) const {
    const auto found = runner_.holds_.find(news.id);
    if (found == runner_.holds_.end()) return;
    auto hold = found->second;
    if (auto* const refused = std::get_if<core::failed>(&news.event)) explain(refused->why);
    auto& counts = runner_.services_->counts;
    if (std::holds_alternative<core::entered>(news.event) && hold->enters_first())
        counts.count_entry();
    if (hold->has_entered()) counts.count(news);
    if (std::holds_alternative<core::queued>(news.event) && hold->begins_to_wait())
        counts.waited.fetch_add(1, std::memory_order_relaxed);
    if (log::enabled(log_level::debug))
        log::write(log_level::debug, "{}: {}", hold->path(), core::notice_text(news));
    if (std::holds_alternative<core::contended>(news.event))
        return runner_.news_.contended.push_back(hold);
    if (std::holds_alternative<core::lost>(news.event)) runner_.news_.lost.push_back(hold);
    const bool over = std::holds_alternative<core::gone>(news.event);
    if (over) {
        runner_.holds_.erase(found);
        base::release_if_empty(runner_.holds_);
    }
    if (hold->tell(news, runner_.lease_.view(), runner_.core_.connection()) || over)
        runner_.news_.woken.push_back(std::move(hold));
}

void session_runner::execution::operator()(core::changed& change) const {
    const auto& step = change.step;
    const bool bad = step.to == session_state::lost || step.to == session_state::auth_failed;
    log::write(bad ? log_level::warning : log_level::info, "session {}.{}: {} -> {}: {}",
               step.session, step.epoch, to_string(step.from), to_string(step.to), change.reason);
    if (step.to == session_state::connected) runner_.first_attach_.attach();
    runner_.services_->on_change(step);
    runner_.changed_.notify_all();
}

void session_runner::execution::operator()(core::warning& warning) const {
    log::write(log_level::warning, "session epoch {}: {}", runner_.core_.epoch(), warning.text);
}

// ---- opening and closing sessions of the servers ---------------------------------------------

namespace {

// Makes the error for callers whose deadline passes before a session exists. The text of a system_error begins with the
// text of its code, which the error must not repeat.
error to_error(const std::exception& failure) {
    const auto* coded = dynamic_cast<const std::system_error*>(&failure);
    auto code = errc::not_connected;
    for (const auto told : {errc::unresolvable, errc::server_too_old})
        if (coded != nullptr && coded->code() == told) code = told;
    const error plain{code};
    std::string_view text = failure.what();
    if (const auto words = plain.message() + ": "; text.starts_with(words))
        text.remove_prefix(words.size());
    return {plain.code(), std::string{text}};
}

}  // namespace

void session_runner::open() {
    std::uint64_t epoch = 0;
    {
        const base::lock_guard lock{mutex_};
        opens_inline_ = true;
        core_.on(core::start{}, boottime_clock::now());
        execute();
        epoch = core_.epoch();
        opens_inline_ = false;
    }
    open_handle(epoch);
}

void session_runner::execution::operator()(core::open_session& action) const {
    runner_.opening_.begin(action.epoch);
    if (runner_.opens_inline_) return;
    runner_.on_worker([&runner = runner_, epoch = action.epoch] {
        try {
            runner.open_handle(epoch);
        } catch (const std::bad_alloc&) {
            throw;  // ends the process: a worker cannot continue without memory
        } catch (const std::exception& failure) {  // no address, no descriptor, no thread
            runner.open_failed(epoch, to_error(failure));
        }
    });
}

// Opens a session. Runs under no lock, because it may block while the back end resolves names.
void session_runner::open_handle(std::uint64_t epoch) {
    opened_session opening;
    opening.sink = std::make_shared<link>(*this, epoch);
    try {
        auto opened = services_->servers->open(services_->session, *opening.sink);
        // The session's first events may be waiting for this function to finish. If an exception stopped it here, they
        // would wait for ever. So the process ends if memory is exhausted.
        base::finish_or_end("the start of a session", [&] { opening.handle = std::move(opened); });
    } catch (...) {
        opening_ended();
        throw;
    }
    {
        const base::lock_guard lock{mutex_};
        told_not_opened_.clear();
        if (!closed_ && core_.epoch() == epoch) std::swap(current_, opening);
    }
    opening_ended();
    opening.close(core::close_session::how::orderly);  // close it if it came too late
}

void session_runner::opening_ended() {
    {
        const base::lock_guard lock{mutex_};
        opening_.end();
    }
    changed_.notify_all();
}

// Blocks the session's first events until open() has returned the handle, because their requests need it.
void session_runner::await_handle(std::uint64_t epoch) noexcept {
    if (!opening_.is_for(epoch)) return;
    const boost::this_thread::disable_interruption uninterrupted;
    base::unique_lock lock{mutex_};
    while (opening_.is_for(epoch)) changed_.wait(lock);
}

void session_runner::execution::operator()(core::close_session& action) const {
    if (!runner_.current_.handle) return;
    // Allocates before `old` owns the session. Otherwise an exception of the allocation would destroy the session here,
    // and its destructor waits for a thread that may be this one.
    const auto old = std::make_shared<opened_session>();
    *old = std::exchange(runner_.current_, {});
    base::finish_or_end("the end of a session", [&] {
        runner_.on_worker([old, manner = action.manner] { old->close(manner); });
    });
}

void session_runner::on_worker(std::function<void()> task) {
    services_->workers->post([self = shared_from_this(), task = std::move(task)] { task(); });
}

}  // namespace turnstile::detail
