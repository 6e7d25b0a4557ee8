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
#include "client/outage_watch.hpp"
#include "client/session_runner.hpp"

namespace turnstile::detail {

// Passes the coordinator's events to the runner, with the epoch: the number of the session to which the events belong.
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

class session_runner::execution {
public:
    explicit execution(session_runner& runner) : runner_{runner} {}

    void operator()(core::submit& action) const REQUIRES(runner_.mutex_);
    void operator()(core::forget_watches& action) const REQUIRES(runner_.mutex_);
    void operator()(core::seek_leader& action) const REQUIRES(runner_.mutex_);
    void operator()(core::look_elsewhere& action) const REQUIRES(runner_.mutex_);
    void operator()(core::leave_server& action) const REQUIRES(runner_.mutex_);
    void operator()(core::open_session& action) REQUIRES(runner_.mutex_);
    void operator()(core::close_session& action) const REQUIRES(runner_.mutex_);
    void operator()(core::notice& news) const REQUIRES(runner_.mutex_);
    void operator()(core::answer& answer) const REQUIRES(runner_.mutex_) {
        explain(answer.outcome);
        runner_.questions_.answer(answer);
    }
    void operator()(core::commit_answer& answer) const REQUIRES(runner_.mutex_) {
        explain(answer.outcome);
        runner_.commits_.answer(answer, *runner_.services_);
    }
    void operator()(core::changed& change) const REQUIRES(runner_.mutex_);
    void operator()(core::warning& warning) const REQUIRES(runner_.mutex_);

    bool another_request = false;
    // The epoch (number) of the session that the core wants to open; empty if the core wants no session.
    std::optional<std::uint64_t> opens{};

private:
    // If the error says only that there is no session, adds the reason, which the back end knows.
    void explain(error& why) const {
        if (lacks_cause(why)) why = runner_.services_->outage->explain(why);
    }
    template <class Outcome>
    void explain(Outcome& outcome) const {
        if (auto* const why = std::get_if<error>(&outcome)) explain(*why);
    }

    session_runner& runner_;
};

std::optional<std::uint64_t> session_runner::execute() {
    core_.take(decided_);
    execution each{*this};
    for (std::size_t i = 0; i != decided_.size(); ++i) {
        each.another_request =
            i + 1 != decided_.size() && std::holds_alternative<core::submit>(decided_[i + 1]);
        std::visit([&each](auto& action) NO_THREAD_SAFETY_ANALYSIS { each(action); }, decided_[i]);
    }
    decided_.clear();
    base::release_if_empty(decided_);
    if (core_.idle()) changed_.notify_all();
    const auto next = core_.next_deadline();
    if (next && *next < armed_ && !current_.is_closed()) {
        armed_ = *next;
        services_->timers->arm(*this, *next);
    }
    return each.opens;
}

void session_runner::execution::operator()(core::submit& action) const {
    if (!runner_.current_.session()) return;
    runner_.services_->requests.fetch_add(1, std::memory_order_relaxed);
    auto& session = *runner_.current_.session();
    if (another_request) return session.submit_with_next(std::move(action.request));
    session.submit(std::move(action.request));
}

void session_runner::execution::operator()(core::forget_watches& action) const {
    if (runner_.current_.session()) runner_.current_.session()->forget_watches(action.path);
}

void session_runner::execution::operator()(core::seek_leader& action) const {
    if (runner_.current_.session()) runner_.current_.session()->seek_leader(action.connection);
}

void session_runner::execution::operator()(core::look_elsewhere& action) const {
    if (runner_.current_.session()) runner_.current_.session()->look_for_another(action);
}

void session_runner::execution::operator()(core::leave_server& action) const {
    log::write(log_level::info,
               "session epoch {}: {} does not answer on the session's connection, so the session "
               "moves to a server that answers the client on another connection",
               runner_.core_.epoch(), runner_.core_.server());
    if (runner_.current_.session()) runner_.current_.session()->leave_server(action.connection);
}

void session_runner::execution::operator()(core::notice& news) const {
    if (auto* const refused = std::get_if<core::failed>(&news.event)) explain(refused->why);
    runner_.calls_.tell(news, runner_.lease_.view(), runner_.core_.connection(),
                        runner_.services_->counts);
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

// Makes the error for callers whose deadline passes before a session exists. The message of a std::system_error may
// begin with the text of its code. The function removes that beginning, because the new error's message begins with it,
// too.
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
    std::optional<std::uint64_t> opens;
    {
        const base::lock_guard lock{mutex_};
        core_.on(core::start{}, boottime_clock::now());
        opens = execute();
    }
    open_handle(opens.value());
}

void session_runner::execution::operator()(core::open_session& action) {
    runner_.opening_.begin(action.epoch);
    opens = action.epoch;
}

// Opens a session. Runs under no lock, because the opening may block while the back end resolves names.
void session_runner::open_handle(std::uint64_t epoch) {
    opened_session opened;
    opened.sink = std::make_shared<link>(*this, epoch);
    try {
        auto handle = services_->servers->open(services_->session, *opened.sink);
        // The session's first events may wait for this function to finish. If the function threw std::bad_alloc, the
        // events would wait for ever, so the process ends instead.
        base::finish_or_end("the start of a session", [&] { opened.handle = std::move(handle); });
    } catch (...) {
        opening_.end(epoch);
        throw;
    }
    {
        const base::lock_guard lock{mutex_};
        if (opening_.is_for(epoch)) current_.replace(opened);
        opening_.end(epoch);
    }
    opened.close(core::close_session::how::orderly);  // close it if it came too late
}

void session_runner::try_to_open(std::uint64_t epoch) {
    try {
        open_handle(epoch);
    } catch (const std::bad_alloc&) {
        throw;  // ends the process: a worker cannot continue without memory
    } catch (const std::exception& failure) {  // no address, no descriptor, no thread
        const auto why = to_error(failure);
        services_->outage->on_open_failed(why);
        {
            const base::lock_guard lock{mutex_};
            if (current_.fails_anew(why))
                log::write(log_level::warning, "cannot open a session: {}", why.message());
        }
        tell(core::open_failed{epoch, why});
    }
}

void session_runner::execution::operator()(core::close_session& action) const {
    if (!runner_.current_.session()) return;
    // The allocation may throw, so it comes before take(). Otherwise the exception would destroy the session here. The
    // destructor of the session waits for a thread that may be this thread.
    const auto old = std::make_shared<opened_session>();
    *old = runner_.current_.take();
    base::finish_or_end("the end of a session", [&] {
        runner_.services_->workers->post([self = runner_.shared_from_this(), old,
                                          manner = action.manner] { old->close(manner); });
    });
}

}  // namespace turnstile::detail
