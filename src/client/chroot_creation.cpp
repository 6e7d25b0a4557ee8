// SPDX-License-Identifier: Apache-2.0
#include "client/chroot_creation.hpp"

#include <chrono>
#include <utility>
#include <variant>

#include <boost/thread/thread.hpp>

#include "base/log.hpp"
#include "base/path.hpp"
#include "core/contender/contender_errors.hpp"

namespace turnstile::detail {
namespace {

constexpr std::chrono::seconds k_limit{5};

using core::server_error;

}  // namespace

// Runs a temporary session without the chroot, and receives the session's events. The session has one request in
// progress at a time.
class chroot_creation::attempt final : public core::session_sink {
public:
    enum class end { created, refused, unanswered };

    explicit attempt(chroot_creation& owner) : owner_{owner} {}

    // Creates the missing znodes of the chroot. Returns `unanswered` after the time limit, or if the client closes.
    end run(const core::session_settings& settings) {
        auto plain = settings;
        plain.whole_tree = true;
        plain.allow_read_only = plain.detect_role = plain.learn_pace = plain.examine = false;
        const auto session = owner_.servers_->open(plain, *this);
        const auto how = create(*session);
        session->close();
        return how;
    }

    void deliver(core::coordinator_event&& event) noexcept override {
        const base::lock_guard lock{owner_.mutex_};
        if (auto* const answer = std::get_if<core::reply>(&event)) {
            if (answer->id == asked_) answer_ = std::move(*answer);
        } else if (const auto* const step = std::get_if<core::link_event>(&event)) {
            attached_ = step->kind == core::link_kind::attached ||
                        (attached_ && step->kind == core::link_kind::role_known);
            dead_ = step->kind == core::link_kind::expired ||
                    step->kind == core::link_kind::auth_failed;
        }
        owner_.changed_.notify_all();
    }

private:
    end create(core::coordinator_session& session) {
        const std::string chroot{owner_.servers_->chroot()};
        const auto there = ask(session, core::exists_op{chroot});
        if (!there) return end::unanswered;
        // The answer no_auth also shows that the chroot exists. It means that the client may not read the chroot.
        if (*there == server_error::ok || *there == server_error::no_auth) return end::created;
        std::optional<error> refusal;
        for (const auto& path : base::path_from_root(chroot)) {
            const auto answer =
                ask(session, core::create_op{path, {}, core::create_mode::persistent, owner_.acl_});
            if (!answer) return end::unanswered;
            if (*answer == server_error::ok || *answer == server_error::node_exists)
                refusal.reset();  // a later create succeeded, so this parent exists
            else if (auto why = core::folder_refusal(path, *answer); why && !refusal)
                refusal = std::move(why);
        }
        if (!refusal) return end::created;
        owner_.refusal_.set({refusal->code(), "create_chroot: " + refusal->detail()});
        return end::refused;
    }

    // Sends one request, and sends it again after a connection loss. Returns nothing if no answer comes in time.
    std::optional<server_error> ask(core::coordinator_session& session,
                                    const core::operation& question) {
        for (;;) {
            auto id = core::ticket{};
            {
                base::unique_lock lock{owner_.mutex_};
                while (!attached_)
                    if (!wait(lock)) return std::nullopt;
                answer_.reset();
                id = asked_ = core::ticket{++tickets_};
            }
            session.submit({id, question});
            base::unique_lock lock{owner_.mutex_};
            while (!answer_)
                if (!wait(lock)) return std::nullopt;
            if (core::is_heard(*answer_) && answer_->error != server_error::throttled)
                return answer_->error;
        }
    }

    bool wait(base::unique_lock& lock) REQUIRES(owner_.mutex_) {
        return !owner_.over_ && !dead_ && owner_.changed_.wait_until(lock, until_);
    }

    chroot_creation& owner_;
    const core::time_point until_ = boottime_clock::now() + k_limit;
    std::uint64_t tickets_ = 0;
    bool attached_ GUARDED_BY(owner_.mutex_) = false;
    bool dead_ GUARDED_BY(owner_.mutex_) = false;
    core::ticket asked_ GUARDED_BY(owner_.mutex_){};
    std::optional<core::reply> answer_ GUARDED_BY(owner_.mutex_);
};

std::unique_ptr<core::coordinator_session> chroot_creation::open(
    const core::session_settings& settings, core::session_sink& sink) {
    create_once(settings);
    return servers_->open(settings, sink);
}

// If the servers refuse the client's credentials, returns without an error, because the next session gets the same
// refusal and reports it.
void chroot_creation::create_once(const core::session_settings& settings) {
    const boost::this_thread::disable_interruption uninterrupted;
    const base::lock_guard turn{turn_};
    if (created_) return;
    refusal_.clear();
    switch (attempt{*this}.run(settings)) {
        case attempt::end::created: created_ = true; return;
        case attempt::end::refused:
            return log::write(log_level::warning, "{}: {}", describe(), refusal_.get()->message());
        case attempt::end::unanswered: break;
    }
    const auto why = servers_->last_failure();
    if (why && why->code() == errc::auth_failed) return;
    throw_error(why.value_or(error{errc::not_connected, describe() + " has not answered yet"}));
}

void chroot_creation::end_opening() noexcept {
    const base::lock_guard lock{mutex_};
    over_ = true;
    changed_.notify_all();
}

std::optional<error> chroot_creation::last_failure() const {
    const auto why = servers_->last_failure();
    return why ? why : refusal_.get();
}

}  // namespace turnstile::detail
