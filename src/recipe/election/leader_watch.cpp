// SPDX-License-Identifier: Apache-2.0
#include "turnstile/leader_watch.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "base/duration_text.hpp"
#include "base/mutex.hpp"
#include "base/out_of_memory.hpp"
#include "base/span_check.hpp"
#include "client/callback_queue.hpp"
#include "client/user_code.hpp"
#include "recipe/lock/queue_lock.hpp"
#include "recipe/operator/participants.hpp"

namespace turnstile {

namespace {

core::contender_family family_of(election_protocol protocol) {
    return core::family(protocol == election_protocol::latch ? core::claim_kind::latch
                                                             : core::claim_kind::lock);
}

void check(const leader_watch::listener& listener, const leader_watch_options& options) {
    using namespace std::chrono_literals;
    if (!listener) throw_error({errc::bad_option, "leader_watch: the listener is empty"});
    if (const auto good = base::check_span("leader_watch: every", options.every); !good)
        throw_error(good.error());
    if (options.every >= 1ms) return;
    throw_error({errc::bad_option,
                 fmt::format("leader_watch: the option `every` is {}; it must be at least 1 ms",
                             base::duration_text(options.every))});
}

}  // namespace

// Keeps the observer (the object that reads the queue and calls the listener) alive until its thread has ended, since
// the listener may destroy the leader_watch.
class TURNSTILE_NO_EXPORT leader_watch::state {
public:
    class observer;
    explicit state(std::shared_ptr<observer> own) noexcept : seen{std::move(own)} {}
    const std::shared_ptr<observer> seen;
};

class leader_watch::state::observer : public std::enable_shared_from_this<observer> {
public:
    observer(const client& servers, std::string_view path, listener&& on_change,
             const leader_watch_options& options)
        : queue_{servers, path, family_of(options.protocol)},
          listener_{std::move(on_change)},
          every_{options.every} {}

    void start() {
        thread_ = detail::callback_queue::start({}, {.name = "turnstile-look"});
        base::finish_or_end("the start of a leader_watch", [this] {
            thread_->post([self = shared_from_this()] { self->look_again_and_again(); });
        });
        thread_->pump();
    }
    void end() {
        if (queue_.servers()->forked()) return;  // the object belongs to the parent process
        stop_.request_stop();
        {
            const base::lock_guard lock{mutex_};
            changed_.notify_all();
        }
        thread_->finish(boottime_clock::now());
    }
    [[nodiscard]] std::optional<error> failure() const {
        const auto& servers = queue_.servers();
        if (servers->forked()) return servers->forked_error();
        const base::lock_guard lock{mutex_};
        return failure_;
    }

private:
    using found = std::optional<participant>;

    void look_again_and_again() {
        do look();
        while (pause());
    }
    void look();
    [[nodiscard]] result<bool> still_leads(const std::string& znode) const;
    void note(std::optional<error> failure) {
        const base::lock_guard lock{mutex_};
        failure_ = std::move(failure);
    }
    // Waits until the next read of the queue is due. Returns false if end() was called.
    bool pause();

    const detail::queue_lock queue_;
    const listener listener_;
    const boottime_clock::duration every_;
    std::stop_source stop_;
    std::shared_ptr<detail::callback_queue> thread_;
    std::optional<found> told_{};  // the listener's latest argument

    mutable base::mutex mutex_;
    base::condition_variable changed_;
    std::optional<error> failure_ GUARDED_BY(mutex_);
};

result<bool> leader_watch::state::observer::still_leads(const std::string& znode) const {
    auto answers = queue_.servers()->read({core::exists_op{queue_.path() + '/' + znode}},
                                          {.stop = stop_.get_token()});
    if (!answers) return answers.error();
    return answers->front().error == core::server_error::ok;
}

// Reads the queue's first participant. This participant leads until its znode is gone. So the observer reads only that
// znode until then.
void leader_watch::state::observer::look() {
    base::finish_or_end("the read of an election's leader", [this] {
        if (told_ && *told_) {
            const auto same = still_leads((*told_)->znode);
            if (same.has_error()) return note(same.error());
            if (*same) return note(std::nullopt);
        }
        const auto first = detail::first_participant(queue_, {.stop = stop_.get_token()});
        note(first.has_error() ? std::optional{first.error()} : std::nullopt);
        if (first.has_error() || stop_.stop_requested()) return;
        const bool same = told_ && told_->has_value() == first->has_value() &&
                          (!*first || (*told_)->znode == (*first)->znode);
        if (same) return;
        told_ = *first;
        detail::run_user_code("the listener of a leader_watch", [this] { listener_(*told_); });
    });
}

bool leader_watch::state::observer::pause() {
    const auto until = boottime_clock::now() + every_;
    base::unique_lock lock{mutex_};
    while (!stop_.stop_requested())
        if (!changed_.wait_until(lock, until)) return !stop_.stop_requested();
    return false;
}

leader_watch::leader_watch(const client& servers, std::string_view path, listener on_change,
                           leader_watch_options options)
    : state_{[&] {
          check(on_change, options);
          auto own =
              std::make_shared<state::observer>(servers, path, std::move(on_change), options);
          own->start();
          return new state{std::move(own)};
      }()} {}

leader_watch::~leader_watch() {
    state_->seen->end();
}

std::optional<error> leader_watch::failure() const {
    return state_->seen->failure();
}

}  // namespace turnstile
