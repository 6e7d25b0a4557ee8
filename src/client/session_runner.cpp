// SPDX-License-Identifier: Apache-2.0
#include "client/session_runner.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "client/outage_watch.hpp"

namespace turnstile::detail {

static_assert(static_cast<int>(core::server_role::read_only) ==
              static_cast<int>(server_role::read_only));

// Executes one step of the core; every call of the core uses this function. If memory is exhausted in the middle of a
// step, the core is unusable, so the process ends.
template <class F>
void session_runner::enter(F&& step) {
    session_news news;
    {
        const base::lock_guard lock{mutex_};
        base::finish_or_end("a step of a session", [&]() REQUIRES(mutex_) {
            const auto now = boottime_clock::now();
            look_at_wall_clock(now);
            step(core_, now);
            // Publishes the lease before a caller can learn of a grant that depends on it.
            lease_.publish(core_.epoch(), core_.session_lease());
            execute();
            publish();
            news.swap(news_);
            news.trigger_loss_callbacks();
        });
    }
    base::finish_or_end("the events of a session", [&] {
        news.tell([this](std::shared_ptr<session_call>&& hold) {
            on_worker([last = std::move(hold)] {});
        });
        services_->callbacks->pump();
    });
}

// Checks the wall clock before the core sees an event, because an answer proves nothing about the time before a pause.
void session_runner::look_at_wall_clock(boottime_clock::time_point now) {
    if (!wall_clock_) return;
    const auto ahead =
        wall_clock_->compare(now, std::chrono::system_clock::now().time_since_epoch());
    if (ahead > core::duration{}) core_.on(core::clock_stepped{ahead}, now);
}

session_runner::session_runner(std::shared_ptr<client_services> services,
                               core::session_core_settings settings)
    : services_{std::move(services)},
      acl_{settings.acl},
      chroot_{settings.chroot},
      takes_help_{services_->servers->takes_help()},
      core_{std::move(settings)},
      wall_clock_{services_->wall_clock},
      first_attach_{boottime_clock::now()} {}

session_runner::~session_runner() = default;

// ---- contenders -----------------------------------------------------------------------------

std::size_t session_runner::room_of(const std::string& path, const core::claim& wants) const {
    return core::contender_bytes(path, wants) + chroot_;
}

bool session_runner::reserve(const std::string& path, const core::claim& wants, among which) {
    const auto bytes = room_of(path, wants);
    const base::lock_guard lock{mutex_};
    if (first_attach_.refusal() || !core_.has_room_for_watches()) return false;
    if (which == among::connected && core_.state() != session_state::connected) return false;
    room_.enter_epoch(core_.epoch());
    return room_.reserve(bytes, core_.owned_bytes());
}

void session_runner::give_room_back(const std::string& path, const core::claim& wants) {
    const base::lock_guard lock{mutex_};
    room_.hand_over(room_of(path, wants));
}

// Registers the hold. The core counts its room from now on.
void session_runner::expect(const core::acquire& message,
                            const std::shared_ptr<session_call>& hold) {
    holds_.emplace(message.id, hold);
    room_.hand_over(room_of(message.settings.folder, message.settings.wants));
}

void session_runner::acquire(core::acquire&& message, const std::shared_ptr<session_call>& hold) {
    enter([&](core::session_core& core, boottime_clock::time_point now) REQUIRES(mutex_) {
        const auto id = message.id;
        expect(message, hold);
        core.on(std::move(message), now);
        if (const auto& refusal = first_attach_.refusal()) core.on(core::cancel{id, *refusal}, now);
    });
}

void session_runner::acquire_together(const core::acquire_together& messages,
                                      const std::vector<std::shared_ptr<session_call>>& holds) {
    enter([&](core::session_core& core, boottime_clock::time_point now) REQUIRES(mutex_) {
        for (std::size_t i = 0; i != holds.size(); ++i) expect(messages.all[i], holds[i]);
        core.on(messages, now);
        if (const auto& refusal = first_attach_.refusal())
            for (const auto& message : messages.all)
                core.on(core::cancel{message.id, *refusal}, now);
    });
}

bool session_runner::waits_for_its_first_attach(boottime_clock::time_point then) const {
    const base::lock_guard lock{mutex_};
    return first_attach_.is_expected_since(then) && core_.state() == session_state::connecting;
}

void session_runner::refuse_waiters(const error& why) {
    enter([&](core::session_core& core, boottime_clock::time_point now) REQUIRES(mutex_) {
        if (!first_attach_.refuse(why)) return;
        for (const auto& [id, hold] : holds_) core.on(core::cancel{id, why}, now);
    });
}

void session_runner::cancel(core::awaited_id id, const error& why) noexcept {
    enter([&](core::session_core& core, boottime_clock::time_point now) {
        core.on(core::cancel{id, why}, now);
    });
}

void session_runner::leave_together(std::vector<core::contender_id>&& all, const error& why) {
    enter([&](core::session_core& core, boottime_clock::time_point now) {
        core.on(core::leave_together{std::move(all), why}, now);
    });
}

void session_runner::leave(core::contender_id id, const error& why) noexcept {
    enter([&](core::session_core& core, boottime_clock::time_point now) {
        core.on(core::leave{id, why}, now);
    });
}

void session_runner::rename(core::contender_id id, core::contender_kind kind) {
    enter([&](core::session_core& core, boottime_clock::time_point now) {
        core.on(core::rename{id, kind}, now);
    });
}

// ---- guarded writes -------------------------------------------------------------------------

// A commit without a timeout gets the session timeout as its limit.
void session_runner::hand_over(core::commit&& message, const std::shared_ptr<commit_call>& caller) {
    enter([&](core::session_core& core, boottime_clock::time_point now) REQUIRES(mutex_) {
        writings_.emplace(message.id, caller);
        room_.enter_epoch(core.epoch());
        if (!room_.write(caller->ephemeral_bytes(), core.owned_bytes())) {
            core::commit_answer refused{
                message.id,
                error{errc::too_many,
                      fmt::format("the commit would add {} bytes of paths of ephemeral znodes, and "
                                  "the session can safely own {} bytes in all",
                                  caller->ephemeral_bytes(), session_room::k_most_owned)}};
            return on_answer(refused);
        }
        if (!message.deadline) message.deadline = now + core.session_lease().timeout();
        core.on(message, now);
    });
}

// ---- reads and repeated writes ---------------------------------------------------------------

template <class Inquiry>
result<std::vector<core::reply>> session_runner::inquire(std::vector<core::operation> operations,
                                                         boottime_clock::time_point deadline,
                                                         const std::stop_token& stop,
                                                         std::uint64_t only_on) {
    inquiry own{operations.size()};
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
        enter([&](core::session_core& core, boottime_clock::time_point now) {
            for (const auto id : ids) core.on(core::cancel{id, why}, now);
        });
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
        session = current_.handle;
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
    facts.role = static_cast<server_role>(core_.role());
    facts.owned_bytes = core_.owned_bytes();
    const auto clock = current_.handle ? current_.handle->servers_clock() : std::nullopt;
    if (clock)
        facts.servers_time =
            clock->shown + std::chrono::duration_cast<std::chrono::system_clock::duration>(
                               boottime_clock::now() - clock->at);
    return facts;
}

session_secret session_runner::secret() const {
    const base::lock_guard lock{mutex_};
    session_secret own{core_.session_id(), {}};
    if (current_.handle) {
        const auto identity = current_.handle->identity();
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

void session_runner::start_open() {
    enter([](core::session_core& core, boottime_clock::time_point now) {
        core.on(core::start{}, now);
    });
}

void session_runner::open_failed(std::uint64_t epoch, const error& why) {
    services_->outage->on_open_failed(why);
    enter([&](core::session_core& core, boottime_clock::time_point now) REQUIRES(mutex_) {
        if (told_not_opened_ != why.message()) {
            told_not_opened_ = why.message();
            log::write(log_level::warning, "cannot open a session: {}", told_not_opened_);
        }
        core.on(core::open_failed{epoch, why}, now);
    });
}

void session_runner::on_timer() {
    enter([this](core::session_core& core, boottime_clock::time_point now) REQUIRES(mutex_) {
        armed_ = boottime_clock::time_point::max();
        core.on_time(now);
    });
}

void session_runner::deliver(std::uint64_t epoch, core::coordinator_event&& event) noexcept {
    await_handle(epoch);
    enter([&](core::session_core& core, boottime_clock::time_point now) {
        core.on(core::input{core::from_session{epoch, std::move(event)}}, now);
    });
}

// ---- closing --------------------------------------------------------------------------------

void session_runner::start_close() noexcept {
    enter([](core::session_core& core, boottime_clock::time_point now) {
        core.on(core::close{}, now);
    });
}

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
        closed_ = true;
        last = std::exchange(current_, {});
    }
    changed_.notify_all();  // an event may be waiting for its handle
    last.close(core::close_session::how::orderly);
    enter([](core::session_core& core, boottime_clock::time_point now) {
        core.on(core::session_closed{}, now);
    });
}

}  // namespace turnstile::detail
