// SPDX-License-Identifier: Apache-2.0
#include "client/session_pool.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "client/settings.hpp"

namespace turnstile::detail {

namespace {

// A session counts as late if it is not attached after a third of the session timeout, while another session is
// attached. The minimum is for short session timeouts: a busy server may need long to open a session.
constexpr int k_patience_parts = 3;
constexpr core::duration k_least_patience = std::chrono::seconds{2};

}  // namespace

error no_more_connections(std::size_t attached) {
    return {errc::too_many,
            fmt::format("the servers accept no further session of this client (connected: {}). "
                        "They may allow no more connections from this address (maxClientCnxns, 60 "
                        "by default). Raise maxClientCnxns, or set max_sessions to {}",
                        attached, attached)};
}

void late_sessions::on_timer() {
    const auto all = all_();
    const auto attached =
        static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const auto& session) {
            return session->state() == session_state::connected;
        }));
    const auto late_since = boottime_clock::now() - patience_;
    bool look_again = false;
    const auto expected_since = [](const session_runner& session, auto then) {
        return session.state() == session_state::connecting &&
               session.attach().is_expected_since(then);
    };
    for (const auto& session : all) {
        const bool late = attached != 0 && expected_since(*session, late_since);
        if (late) {
            const auto why = no_more_connections(attached);
            if (!told_.exchange(true)) log::write(log_level::warning, "{}", why.message());
            session->refuse_waiters(why);
        } else {
            look_again |= expected_since(*session, boottime_clock::time_point::max());
        }
    }
    if (look_again) expect();
}

void session_pool::open() {
    late_ = std::make_unique<late_sessions>(
        *services_->timers, [this] { return all(); },
        std::max<core::duration>(options_.session_timeout / k_patience_parts, k_least_patience));
    for (std::size_t index = 0; index != options_.sessions; ++index) {
        const auto session = make(index);
        {
            const base::lock_guard lock{mutex_};
            sessions_.push_back(session);
        }
        if (services_->servers->open_may_block()) {
            session->tell(core::start{});
        } else {
            session->open();  // under no lock: the back end's locks come before this pool's
        }
    }
    if (options_.sessions > 1) late_->expect();
}

std::shared_ptr<session_runner> session_pool::make(std::size_t index) const {
    auto settings =
        core_settings(options_, static_cast<unsigned>(index), services_->servers->describe());
    settings.chroot = services_->servers->chroot().size();
    settings.numbers_count_creates = services_->servers->numbers_count_creates();
    return std::make_shared<session_runner>(services_, std::move(settings));
}

result<std::shared_ptr<session_hold>> session_pool::place(acquire_request& request) {
    const auto session = with_room(request);
    if (!session) return session.error();
    auto& message = request.message;
    try {
        message.id = (*session)->next_id<core::contender_id>();
        return std::make_shared<session_hold>(*session, request);
    } catch (const std::bad_alloc&) {  // no request was sent: the caller gets the exception
        (*session)->give_room_back(message.settings.folder, message.settings.wants);
        throw;
    }
}

result<std::shared_ptr<session_runner>> session_pool::with_room(const acquire_request& request) {
    const auto& settings = request.message.settings;
    const auto has_room = [&settings](const auto& session, std::optional<session_state> needed) {
        return session->reserve(settings.folder, settings.wants, needed);
    };
    const base::lock_guard lock{mutex_};
    if (closed_) return error{errc::closed};
    if (request.session) {
        if (has_room(request.session, {})) return request.session;
        return error{errc::too_many, settings.folder.str() +
                                         ": the contender must be in the session of the hold, and "
                                         "this session owns the largest safe number of znodes"};
    }
    for (const auto needed :
         {std::optional{session_state::connected}, std::optional<session_state>{}})
        for (const auto& session : sessions_)
            if (has_room(session, needed)) return session;
    const auto refused = static_cast<std::size_t>(
        std::count_if(sessions_.begin(), sessions_.end(),
                      [](const auto& session) { return session->attach().refusal(); }));
    if (refused != 0) return no_more_connections(sessions_.size() - refused);
    if (sessions_.size() >= options_.max_sessions)
        return error{
            errc::too_many,
            fmt::format(
                "max_sessions allows {} sessions, and each session owns the largest safe number of "
                "znodes",
                sessions_.size())};
    auto added = make(sessions_.size());
    // Reserves room for the contender in the new session. This cannot fail: an empty session has room even for the
    // longest path.
    static_cast<void>(has_room(added, {}));
    sessions_.push_back(added);
    base::finish_or_end("another session", [&] {
        added->tell(core::start{});
        late_->expect();
    });
    return added;
}

std::vector<std::shared_ptr<session_runner>> session_pool::all() const {
    const base::lock_guard lock{mutex_};
    return sessions_;
}

bool session_pool::has_left(std::int64_t session) const {
    const auto sessions = all();
    return std::any_of(sessions.begin(), sessions.end(),
                       [session](const auto& runner) { return runner->has_left(session); });
}

void session_pool::close(boottime_clock::time_point deadline) {
    {
        const base::lock_guard lock{mutex_};
        closed_ = true;
    }
    const auto sessions = all();
    if (services_->servers) services_->servers->end_opening();
    for (const auto& session : sessions) session->tell(core::close{});
    for (const auto& session : sessions) session->wait_idle(deadline);
    // Closes the sessions on worker threads, since each close may take seconds at the servers.
    for (const auto& session : sessions)
        services_->workers->post([session] { session->finish_close(); });
}

}  // namespace turnstile::detail
