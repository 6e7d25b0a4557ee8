// SPDX-License-Identifier: Apache-2.0
#include "turnstile/deadlock_detector.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/core.h>

#include "base/duration_text.hpp"
#include "base/out_of_memory.hpp"
#include "base/path.hpp"
#include "client/client_impl.hpp"
#include "client/internals.hpp"
#include "client/queued_wait.hpp"
#include "recipe/deadlock/queue_survey.hpp"
#include "recipe/deadlock/wait_for_graph.hpp"
#include "recipe/lock/lock_queries.hpp"
#include "support/visible.hpp"

namespace turnstile {

namespace {

std::string describe(const contender_metadata& metadata) {
    auto text = fmt::format("{} pid {} thread {}", metadata.host, metadata.pid, metadata.thread);
    if (!metadata.label.empty()) text += fmt::format(" ({})", metadata.label);
    return support::visible(text);
}

void check_lock_path(std::string_view path) {
    if (const auto good = base::validate_path(path); !good) throw_error(good.error());
}

// Returns the time until which the calling thread waits for the outcome of its acquire: the deadline plus a time for
// the handler that delivers the outcome. If the handler has not run by then, the calling thread may be the executor's
// only thread, so the handler could never run.
std::optional<boottime_clock::time_point> latest(
    std::optional<boottime_clock::time_point> deadline) {
    constexpr std::chrono::milliseconds k_patience{500};
    if (!deadline || *deadline > boottime_clock::time_point::max() - k_patience)
        return std::nullopt;
    return *deadline + k_patience;
}

// True if a later read of the queues may succeed after this error, or if the cause of the error also ends the wait for
// the lock.
bool may_pass(const error& why) {
    return why == errc::timeout || why == errc::not_connected || why == errc::cancelled ||
           why == errc::closed || why == errc::auth_failed;
}

}  // namespace

std::string deadlock::to_string() const {
    std::string text;
    for (const auto& member : members) {
        if (!text.empty()) text += "; ";
        text += fmt::format("{} {} {} and waits for {} since {}", describe(member.waiting.metadata),
                            member.holding.position == 0 ? "holds" : "is ahead in the queue of",
                            member.holds, member.awaits,
                            support::visible(member.waiting.metadata.since));
    }
    return text;
}

// ---- reading the queues ------------------------------------------------------------------------

class TURNSTILE_NO_EXPORT deadlock_detector::state {
public:
    state(const client& servers, std::vector<std::string> paths, std::string folder,
          deadlock_options options)
        : client_{detail::internals::of(servers)},
          paths_{std::move(paths)},
          folder_{std::move(folder)},
          look_after_{options.look_after} {
        if (!client_) throw_error({errc::closed, "the client object was moved from"});
        if (look_after_ <= look_after_.zero()) {
            throw_error({errc::bad_option, fmt::format("look_after {}: must be positive",
                                                       base::duration_text(look_after_))});
        }
    }

    [[nodiscard]] bool looks_at(const std::string& path) const {
        if (folder_.empty()) return std::find(paths_.begin(), paths_.end(), path) != paths_.end();
        return folder_ == "/" || path == folder_ || path.starts_with(folder_ + '/');
    }
    [[nodiscard]] const std::shared_ptr<detail::client_impl>& client() const { return client_; }
    [[nodiscard]] std::chrono::milliseconds look_after() const { return look_after_; }

    [[nodiscard]] result<std::vector<deadlock>> find(const query_options& options) const;
    // If the waiter with this znode must give up, returns the cycle that its wait has closed.
    [[nodiscard]] result<std::optional<deadlock>> closed_by(std::string_view znode,
                                                            const query_options& options) const;
    // Returns the outcome of a wait for the lock on `path`. Ends the wait early if the wait closes a cycle.
    [[nodiscard]] result<guard> outcome_of(
        detail::queued_wait& mine, const std::string& path,
        std::optional<boottime_clock::time_point> deadline) const;

private:
    [[nodiscard]] result<std::vector<detail::lock_queue>> read(
        const std::vector<std::string>& paths, const query_options& options) const;
    [[nodiscard]] result<detail::wait_for_graph> look(const query_options& options) const;
    [[nodiscard]] result<bool> stands_in_a_second_look(const deadlock& found,
                                                       const query_options& options) const;

    const std::shared_ptr<detail::client_impl> client_;
    const std::vector<std::string> paths_;
    const std::string folder_;  // empty: read only the paths
    const std::chrono::milliseconds look_after_;
};

result<std::vector<detail::lock_queue>> deadlock_detector::state::read(
    const std::vector<std::string>& paths, const query_options& options) const {
    auto queues = detail::queues_with_waiters(*client_, paths, options);
    if (queues) {
        detail::forget_left_over(*queues, [this](std::int64_t session) {
            return client_->sessions().has_left(session);
        });
    }
    return queues;
}

result<detail::wait_for_graph> deadlock_detector::state::look(const query_options& options) const {
    auto paths = paths_;
    if (!folder_.empty()) {
        auto listed = detail::contended_below(*client_, folder_, options);
        if (!listed) return listed.error();
        paths = std::move(*listed);
    }
    auto queues = read(paths, options);
    if (!queues) return queues.error();
    return detail::wait_for_graph{std::move(*queues)};
}

// Reads the queues of the cycle a second time. A session never reads older data than before. So contenders that both
// reads show (same name and czxid) all existed at an instant between the reads. A cycle whose contenders never existed
// at the same time fails this test.
result<bool> deadlock_detector::state::stands_in_a_second_look(const deadlock& found,
                                                               const query_options& options) const {
    const auto queues = read(detail::locks_of(found), options);
    if (!queues) return queues.error();
    return detail::still_stands(found, *queues);
}

result<std::vector<deadlock>> deadlock_detector::state::find(const query_options& options) const {
    const auto graph = look(options);
    if (!graph) return graph.error();
    std::vector<deadlock> found;
    for (auto& cycle : graph->cycles()) {
        const auto stands = stands_in_a_second_look(cycle, options);
        if (stands.has_error()) return stands.error();
        if (*stands) found.push_back(std::move(cycle));
    }
    return found;
}

result<std::optional<deadlock>> deadlock_detector::state::closed_by(
    std::string_view znode, const query_options& options) const {
    const auto graph = look(options);
    if (!graph) return graph.error();
    const auto slash = znode.rfind('/');
    auto found = graph->cycle_closed_by(znode.substr(0, slash), znode.substr(slash + 1));
    if (!found) return found;
    const auto stands = stands_in_a_second_look(*found, options);
    if (stands.has_error()) return stands.error();
    return *stands ? std::move(found) : std::nullopt;
}

// ---- deadlock_detector -------------------------------------------------------------------------

deadlock_detector::deadlock_detector(const state* looks) noexcept : state_{looks} {}

deadlock_detector::deadlock_detector(const client& servers, std::vector<std::string> paths,
                                     deadlock_options options)
    : state_{nullptr} {
    if (paths.empty())
        throw_error({errc::bad_option, "deadlock_detector: the list of paths is empty"});
    for (const auto& path : paths) check_lock_path(path);
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    state_ =
        detail::owned<const state>{new state{servers, std::move(paths), std::string{}, options}};
}

deadlock_detector deadlock_detector::below(const client& servers, std::string_view folder,
                                           deadlock_options options) {
    check_lock_path(folder);
    return deadlock_detector{
        new state{servers, std::vector<std::string>{}, std::string{folder}, options}};
}

deadlock_detector::~deadlock_detector() = default;
deadlock_detector::deadlock_detector(deadlock_detector&&) noexcept = default;
deadlock_detector& deadlock_detector::operator=(deadlock_detector&&) noexcept = default;

result<std::vector<deadlock>> deadlock_detector::find(const query_options& options) const {
    return state_->find(detail::with_deadline(options));
}

result<guard> deadlock_detector::acquire(mutex& lock, acquire_options options) const {
    if (!state_->looks_at(lock.path())) {
        return error{errc::bad_option,
                     lock.path() + ": the deadlock_detector does not examine this lock"};
    }
    if (options.timeout.is_zero())
        return lock.try_acquire(std::move(options));  // a try waits for no contender
    if (const auto good = state_->client()->may_wait_for_handler(); !good) return good.error();
    if (options.owner.empty()) options.owner = thread_owner();
    const auto deadline = options.timeout.deadline();
    if (deadline) options.timeout = wait_limit::until(*deadline);
    const auto mine = std::make_shared<detail::queued_wait>();
    lock.async_acquire(mine->options(std::move(options)), mine->handler());

    // Ends the process if memory is exhausted: otherwise the contender would stay in its queue without a caller.
    return base::finish_or_end("a wait",
                               [&] { return state_->outcome_of(*mine, lock.path(), deadline); });
}

result<guard> deadlock_detector::state::outcome_of(
    detail::queued_wait& mine, const std::string& path,
    std::optional<boottime_clock::time_point> deadline) const {
    using detail::queued_wait;
    for (;;) {
        const auto why = mine.wait(to_nanoseconds(look_after()), latest(deadline));
        if (why == queued_wait::woken_by::end) {
            mine.abandon();
            return error{
                errc::timeout,
                path + ": the client runs no callbacks, and only a callback delivers the outcome"};
        }
        if (why == queued_wait::woken_by::outcome) return mine.take();
        if (why == queued_wait::woken_by::interruption) break;
        auto found = closed_by(mine.znode(), {.stop = mine.answered()});
        if (found.has_error()) {
            if (found.error() == errc::interrupted) break;
            if (may_pass(found.error())) continue;
        } else if (!*found) {
            continue;
        }
        auto outcome = mine.cancel();
        if (outcome || outcome.error() != errc::cancelled) return outcome;  // the wait has ended
        if (found.has_error()) return found.error();
        return error{errc::would_deadlock,
                     path + ": this was the newest of the waits that block each other: " +
                         (*found)->to_string()};
    }
    mine.abandon();
    return error{errc::interrupted, "the wait for " + path};
}

}  // namespace turnstile
