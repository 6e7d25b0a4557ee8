// SPDX-License-Identifier: Apache-2.0
#include "client/session_hold.hpp"

#include <algorithm>
#include <utility>

#include "base/out_of_memory.hpp"
#include "base/resource_name.hpp"
#include "client/internals.hpp"
#include "client/option_table.hpp"
#include "turnstile/lockable.hpp"

namespace turnstile::detail {

namespace {

base::cold<std::function<void()>> kept(std::function<void()>&& function) {
    base::cold<std::function<void()>> place;
    if (function) place.change() = std::move(function);
    return place;
}

}  // namespace

session_hold::session_hold(std::shared_ptr<session_runner> session, acquire_request& request)
    : session_call{with_user_code(std::move(request.options)), std::move(request.done)},
      where_{request.where},
      session_{std::move(session)},
      id_{request.message.id},
      path_{request.message.settings.folder},
      on_contended_{kept(std::move(request.on_contended))} {}

// ---- functions for the session --------------------------------------------------------------

// Applies each kind of event to the hold. Returns true if a caller may be blocked in a wait for the event: the outcome
// of a call, the outcome of rename(), or the end of the hold. Callbacks are only queued here, and run after the
// session's step.
class session_hold::reception {
public:
    reception(session_hold& hold, const std::shared_ptr<lease_view>& lease,
              std::uint64_t connection)
        : hold_{hold}, user_{hold.options()}, lease_{lease}, connection_{connection} {}

    bool operator()(const core::entered& news) const {
        if (user_.on_entered)
            enqueue(audience::waiter,
                    [&user = user_, znode = news.znode] { user.on_entered(znode); });
        return false;
    }
    bool operator()(const core::position_known& news) const REQUIRES(hold_.mutex_) {
        hold_.note_ahead(news.ahead);
        if (user_.on_queued)
            enqueue(audience::waiter,
                    [&user = user_, ahead = news.ahead] { user.on_queued(ahead); });
        return false;
    }
    bool operator()(const core::granted& news) const REQUIRES(hold_.mutex_) {
        const auto name = std::string_view{news.znode}.substr(hold_.path().size() + 1);
        hold_.held_.change().on_granted(news, name);
        hold_.rights_.change() = {lease_, news.until.value_or(boottime_clock::time_point::max()),
                                  connection_};
        hold_.grant();
        hold_.post_answer();
        return true;
    }
    bool operator()(const core::failed& news) const REQUIRES(hold_.mutex_) {
        hold_.refuse(news.why);
        hold_.post_answer();
        return true;
    }
    bool operator()(const core::lost& news) const REQUIRES(hold_.mutex_) {
        hold_.session_->services().callbacks->post(hold_.lose(news.why));
        return true;
    }
    bool operator()(const core::at_risk& /*news*/) const {
        if (user_.on_at_risk)
            enqueue(audience::holder,
                    [&user = user_, until = hold_.valid_until()] { user.on_at_risk(until); });
        return false;
    }
    bool operator()(const core::expiring& /*news*/) const {
        if (user_.on_expiring)
            enqueue(audience::holder, [&user = user_, until = hold_.valid_until()] {
                user.on_expiring(left_until(until));
            });
        return false;
    }
    bool operator()(const core::asked_to_release& news) const {
        if (user_.on_asked_to_release)
            enqueue(audience::holder,
                    [&user = user_, request = release_request{news.by, news.why}] {
                        user.on_asked_to_release(request);
                    });
        return false;
    }
    // Changes nothing: the session reports this event by tell_contended() instead.
    bool operator()(const core::contended& /*news*/) const { return false; }
    bool operator()(const core::renamed& news) const REQUIRES(hold_.mutex_) {
        hold_.held_.change().on_renamed(news);
        return true;
    }
    bool operator()(const core::gone& /*news*/) const REQUIRES(hold_.mutex_) {
        hold_.gone_ = true;
        return true;
    }

private:
    template <class F>
    void enqueue(audience listener, F&& callback) const {
        hold_.session_->services().callbacks->post(
            hold_.telling(listener, std::forward<F>(callback)));
    }

    session_hold& hold_;
    const acquire_options& user_;  // callbacks may refer to it: each callback keeps the hold alive
    const std::shared_ptr<lease_view>& lease_;
    const std::uint64_t connection_;
};

bool session_hold::tell(const core::notice& news, const std::shared_ptr<lease_view>& lease,
                        std::uint64_t connection) {
    const base::lock_guard lock{mutex_};
    const reception each{*this, lease, connection};
    const bool wakes = std::visit(
        [&each](const auto& event) NO_THREAD_SAFETY_ANALYSIS { return each(event); }, news.event);
    return wakes && changed_.awaited();
}

// ---- user code ------------------------------------------------------------------------------

void session_hold::post(task callback) {
    session_->services().callbacks->post(std::move(callback));
    session_->services().callbacks->pump();
}

// Makes the handler run later, on another thread. The hold owns the handler and the stop callback. The posted task must
// not own them: this function may destroy the last copy of the task under the locks of the session and of the hold.
// Under these locks, the destructor of a stop callback could deadlock: it waits for a running stop callback, which
// needs the session's lock. The destructor of a handler may release holds.
void session_hold::post_answer() {
    if (blocks_) return;
    const auto& services = session_->services();
    const auto answer = [self = shared_from_this()] {
        static_cast<session_hold&>(*self).answer_handler();
    };
    // If the client is closed, it has no workers, and the posting thread runs the callbacks.
    if (where_ == acquire_request::answers::on_workers && services.workers->post(answer)) return;
    services.callbacks->post(answer);
}

// ---- functions for the caller ---------------------------------------------------------------

// Copies `why`. If the copy throws std::bad_alloc, finish_or_end() ends the process.
void session_hold::cancel(const error& why) noexcept {
    base::finish_or_end("the end of a wait", [&] { session_->tell(core::cancel{id_, why}); });
}

bool session_hold::defer_leave(const error& why) {
    const base::lock_guard lock{mutex_};
    if (!held_.changed()) return false;
    return base::finish_or_end("a release",
                               [&]() REQUIRES(mutex_) { return held_.change().defer_leave(why); });
}

void session_hold::leave(const error& why) noexcept {
    base::finish_or_end("a release", [&] {
        if (!defer_leave(why)) session_->tell(core::leave{id_, why});
    });
}

void unlock_together(const std::vector<std::shared_ptr<hold>>& all) {
    std::vector<std::pair<session_runner*, std::vector<core::contender_id>>> sessions;
    const error why{errc::cancelled};
    for (const auto& each : all) {
        auto* const single = dynamic_cast<session_hold*>(each.get());
        if (single == nullptr) {
            each->unlock();
            continue;
        }
        if (!single->begin_release(why) || single->defer_leave(why)) continue;
        auto* const session = single->session_.get();
        auto found = std::find_if(sessions.begin(), sessions.end(),
                                  [session](const auto& entry) { return entry.first == session; });
        if (found == sessions.end())
            found = sessions.emplace(sessions.end(), session, std::vector<core::contender_id>{});
        found->second.push_back(single->id_);
    }
    for (auto& [session, ids] : sessions) session->tell(core::leave_together{std::move(ids), why});
}

// First waits for the commits of other holds that check this hold's znode, because a renaming removes that znode. Then
// waits for the servers' answer, or for the end of the lease or the session, so the wait is bounded. These waits are no
// interruption points, because the caller must know which kind of lock it holds.
result<void> session_hold::rename(core::claim_kind kind) {
    const boost::this_thread::disable_interruption uninterrupted;
    base::unique_lock lock{mutex_};
    while (held_->is_checked() && state_.is_held() && !gone_) changed_.wait(lock);
    const auto before = held_->renamings();
    held_.change().begin_renaming(kind);
    lock.unlock();
    session_->tell(core::rename{id_, kind});
    return base::finish_or_end("a renaming", [&]() -> result<void> {
        base::unique_lock answered{mutex_};
        while (held_->renamings() == before && state_.is_held() && !gone_) changed_.wait(answered);
        if (state_.is_lost()) return *state_.why();
        if (held_->renamings() == before)
            return error{errc::not_held, path() + ": the program has released the hold"};
        if (held_->refusal()) return *held_->refusal();
        return {};
    });
}

// ---- functions for the guard ----------------------------------------------------------------

fencing_vector session_hold::tokens() const {
    const auto servers = session_->services().servers->describe();
    return fencing_vector{{{base::make_resource_name(servers, path()).to_string(), token()}}};
}

boottime_clock::time_point session_hold::certain_until() const noexcept {
    return over_ ? boottime_clock::time_point::min() : valid_until();
}

std::string session_hold::znode() const {
    const base::lock_guard lock{mutex_};
    return held_->znode();
}

fencing_token session_hold::token() const noexcept {
    const base::lock_guard lock{mutex_};
    return held_->token();
}

boottime_clock::time_point session_hold::valid_until() const noexcept {
    return rights_->lease ? std::min(rights_->lease->valid_until(), rights_->limit)
                          : boottime_clock::time_point::min();
}

lease_evidence session_hold::evidence() const noexcept {
    return rights_->lease ? rights_->lease->evidence() : lease_evidence::relayed;
}

error session_hold::doubt() const {
    return end_of_certainty(rights_->limit);
}

// ---- reads ----------------------------------------------------------------------------------

vantage session_hold::granted_at() const {
    return {session_.get(), rights_->connection};
}

result<seen_node> session_hold::read(const std::string& path, boottime_clock::time_point deadline,
                                     const std::stop_token& stop) {
    auto replies = session_->inquire<core::read>({core::get_op{path}}, deadline, stop);
    if (!replies) return replies.error();
    auto& answer = replies->front();
    const vantage from{session_.get(), answer.connection};
    return seen_node{std::move(answer), from};
}

boottime_clock::duration session_hold::release_limit() const {
    return session_->session_timeout();
}

result<void> session_hold::await_release(boottime_clock::time_point deadline) {
    caller_help help{answered_by()};
    base::unique_lock lock{mutex_};
    try {
        while (!gone_ && !state_.is_lost()) {
            if (help.go_on(lock, deadline)) continue;
            if (changed_.wait_until(lock, deadline)) continue;
            return error{errc::timeout,
                         path() + ": the servers have not confirmed the release yet"};
        }
    } catch (const boost::thread_interrupted&) {
        return error{errc::interrupted, path() + ": the release goes on in the background"};
    }
    if (state_.is_lost()) return *state_.why();
    return {};
}

}  // namespace turnstile::detail
