// SPDX-License-Identifier: Apache-2.0
#include "client/session_runner.hpp"

#include <algorithm>
#include <utility>

#include "base/out_of_memory.hpp"

namespace turnstile::detail {

namespace {

constexpr core::duration k_no_pause{};

core::duration wall_time() {
    return std::chrono::system_clock::now().time_since_epoch();
}

}  // namespace

// All calls into the core go through this function, except open(), for which no caller waits. A core that ran out of
// memory in the middle of a step is unusable, so the process ends.
template <class F>
void session_runner::enter(F&& step) {
    session_news news;
    std::optional<std::uint64_t> opens;
    {
        const base::lock_guard lock{mutex_};
        base::finish_or_end("a step of a session", [&]() REQUIRES(mutex_) {
            const auto now = boottime_clock::now();
            // If the wall clock shows that the machine was paused, the core learns of the pause before it handles the
            // event. Otherwise an answer could extend the lease, although the lease's clock stood still during the
            // pause.
            const auto ahead = wall_clock_ ? wall_clock_->compare(now, wall_time()) : k_no_pause;
            if (ahead > k_no_pause) core_.on(core::clock_stepped{ahead}, now);
            step(core_, now);
            // Publishes the lease before a caller can learn of a grant that depends on it.
            lease_.publish(core_.epoch(), core_.session_lease());
            room_.enter_epoch(core_.epoch());
            opens = execute();
            news = calls_.take_news();
        });
    }
    base::finish_or_end("the events of a session", [&] {
        auto& workers = *services_->workers;
        news.tell(workers);
        if (opens)
            workers.post([self = shared_from_this(), epoch = *opens] { self->try_to_open(epoch); });
        services_->callbacks->pump();
    });
}

session_runner::session_runner(std::shared_ptr<client_services> services,
                               const core::session_core_settings& settings)
    : services_{std::move(services)},
      core_{settings},
      wall_clock_{services_->wall_clock},
      first_attach_{boottime_clock::now()} {}

void session_runner::tell(const core::input& event) noexcept {
    enter([&](core::session_core& core, boottime_clock::time_point now) { core.on(event, now); });
}

// ---- contenders -----------------------------------------------------------------------------

bool session_runner::reserve(const std::string& path, const core::claim& wants,
                             std::optional<session_state> needed) {
    const base::lock_guard lock{mutex_};
    if (first_attach_.refusal() || !core_.has_room_for_watches()) return false;
    if (needed && core_.state() != *needed) return false;
    return room_.reserve(core_.bytes_of(path, wants), core_.owned_bytes());
}

void session_runner::give_room_back(const std::string& path, const core::claim& wants) {
    const base::lock_guard lock{mutex_};
    room_.hand_over(core_.bytes_of(path, wants));
}

// Starts the contender. Calls hand_over(), because from now on the core counts the bytes that reserve() has counted.
void session_runner::acquire(core::acquire&& message, const std::shared_ptr<session_call>& hold) {
    enter([&](core::session_core& core, boottime_clock::time_point now) REQUIRES(mutex_) {
        const auto id = message.id;
        calls_.add(id, hold);
        room_.hand_over(core.bytes_of(message.settings.folder, message.settings.wants));
        core.on(std::move(message), now);
        if (const auto& refusal = first_attach_.refusal()) core.on(core::cancel{id, *refusal}, now);
    });
}

void session_runner::acquire_together(const core::acquire_together& messages,
                                      const std::vector<std::shared_ptr<session_call>>& holds) {
    enter([&](core::session_core& core, boottime_clock::time_point now) REQUIRES(mutex_) {
        for (std::size_t i = 0; i != holds.size(); ++i) {
            const auto& message = messages.all[i];
            calls_.add(message.id, holds[i]);
            room_.hand_over(core.bytes_of(message.settings.folder, message.settings.wants));
        }
        core.on(messages, now);
        if (const auto& refusal = first_attach_.refusal())
            for (const auto& message : messages.all)
                core.on(core::cancel{message.id, *refusal}, now);
    });
}

void session_runner::refuse_waiters(const error& why) {
    enter([&](core::session_core& core, boottime_clock::time_point now) REQUIRES(mutex_) {
        if (!first_attach_.refuse(why)) return;
        for (const auto id : calls_.ids()) core.on(core::cancel{id, why}, now);
    });
}

// ---- writes and queries ---------------------------------------------------------------------

void session_runner::commit(core::commit&& message, const std::shared_ptr<commit_call>& caller) {
    enter([&](core::session_core& core, boottime_clock::time_point now) REQUIRES(mutex_) {
        if (auto refusal = commits_.add(message.id, caller, core.owned_bytes()))
            return caller->answer(*std::move(refusal), *services_);
        if (!message.deadline) message.deadline = now + core.session_lease().timeout();
        core.on(std::move(message), now);
    });
}

template <class Inquiry>
result<std::vector<core::reply>> session_runner::inquire(std::vector<core::operation> operations,
                                                         boottime_clock::time_point deadline,
                                                         const std::stop_token& stop,
                                                         std::uint64_t only_on) {
    question_group own{operations.size()};
    std::vector<core::inquiry_id> ids;
    enter([&](core::session_core& core, boottime_clock::time_point now) REQUIRES(mutex_) {
        for (std::size_t i = 0; i != operations.size(); ++i) {
            ids.push_back(next_id<core::inquiry_id>());
            questions_.add(ids.back(), own, i);
            Inquiry message{ids.back(), std::move(operations[i]), deadline};
            if constexpr (requires { message.only_on; }) message.only_on = only_on;
            core.on(message, now);
        }
    });
    const auto drop = [&](const error& why) {
        for (const auto id : ids) tell(core::cancel{id, why});
    };
    const std::stop_callback on_stop{stop, [&] { drop({errc::cancelled, "the query"}); }};
    base::unique_lock lock{mutex_};
    caller_help help{this};
    try {
        own.await(lock, help);
    } catch (const boost::thread_interrupted&) {
        lock.unlock();
        const error why{errc::interrupted, "the query"};
        drop(why);
        return why;
    }
    return own.take_replies();
}

template result<std::vector<core::reply>> session_runner::inquire<core::read>(
    std::vector<core::operation>, boottime_clock::time_point, const std::stop_token&,
    std::uint64_t);
template result<std::vector<core::reply>> session_runner::inquire<core::repeated_write>(
    std::vector<core::operation>, boottime_clock::time_point, const std::stop_token&,
    std::uint64_t);

// ---- callers that wait ----------------------------------------------------------------------

bool session_runner::help(boottime_clock::time_point until) noexcept {
    std::shared_ptr<core::coordinator_session> session;
    {
        const base::lock_guard lock{mutex_};
        session = current_.session();
    }
    return session && session->help(until);
}

// ---- the session ----------------------------------------------------------------------------

session_state session_runner::state() const {
    const base::lock_guard lock{mutex_};
    return core_.state();
}

session_info session_runner::info() const {
    session_info facts;
    const base::lock_guard lock{mutex_};
    facts.state = core_.state();
    facts.epoch = core_.epoch();
    facts.id = core_.session_id();
    facts.timeout =
        std::chrono::duration_cast<std::chrono::milliseconds>(core_.session_lease().timeout());
    facts.server = core_.server();
    facts.role = core_.role();
    facts.owned_bytes = core_.owned_bytes();
    const auto clock = current_.session() ? current_.session()->servers_clock() : std::nullopt;
    if (clock)
        facts.servers_time =
            clock->shown + std::chrono::duration_cast<std::chrono::system_clock::duration>(
                               boottime_clock::now() - clock->at);
    return facts;
}

session_secret session_runner::secret() const {
    const base::lock_guard lock{mutex_};
    session_secret own{core_.session_id(), {}};
    if (current_.session()) {
        const auto identity = current_.session()->identity();
        own.password.assign(identity.password.begin(), identity.password.end());
    }
    return own;
}

session_state session_runner::wait_state(const std::function<bool(session_state)>& good,
                                         boottime_clock::time_point deadline) {
    base::unique_lock lock{mutex_};
    while (!good(core_.state()) && changed_.wait_until(lock, deadline)) {
    }
    return core_.state();
}

void session_runner::on_timer() {
    enter([this](core::session_core& core, boottime_clock::time_point now) REQUIRES(mutex_) {
        armed_ = boottime_clock::time_point::max();
        core.on_time(now);
    });
}

void session_runner::deliver(std::uint64_t epoch, core::coordinator_event&& event) noexcept {
    // A session's first events may arrive before open_handle() has stored the session's handle. The core answers events
    // with requests that need the handle, so this thread waits until the handle is stored.
    opening_.await_end(epoch);
    tell(core::from_session{epoch, std::move(event)});
}

// ---- closing --------------------------------------------------------------------------------

void session_runner::wait_idle(boottime_clock::time_point deadline) noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    base::unique_lock lock{mutex_};
    while (!core_.idle() && changed_.wait_until(lock, deadline)) {
    }
}

void session_runner::finish_close() noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    opened_session last;
    {
        const base::lock_guard lock{mutex_};
        last = current_.close();
    }
    last.close(core::close_session::how::orderly);
    tell(core::session_closed{});
}

}  // namespace turnstile::detail
