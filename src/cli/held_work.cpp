// SPDX-License-Identifier: Apache-2.0
#include "cli/held_work.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "cli/duration.hpp"
#include "cli/exit_code.hpp"
#include "cli/kind_words.hpp"
#include "cli/standard_streams.hpp"
#include "cli/survey_text.hpp"
#include "turnstile/any_lock.hpp"
#include "turnstile/job_gate.hpp"
#include "turnstile/lock_survey.hpp"
#include "turnstile/multi_lock.hpp"
#include "turnstile/mutex.hpp"
#include "turnstile/semaphore.hpp"
#include "turnstile/shared_mutex.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile::cli {
namespace {

// The lock, or the set of locks, that `run` acquires.
class wanted_lock {
public:
    // Throws std::system_error: bad_path, bad_option.
    wanted_lock(const client& servers, const run_options& options);

    // Acquires the lock as the options say. A triggered stop token ends the wait.
    [[nodiscard]] result<guard> take(acquire_options how);

private:
    bool try_only_;
    std::vector<any_lock> locks_;
    std::unique_ptr<multi_lock> all_;
};

// A lock whose acquire takes several permits of a semaphore at once.
class permit_lock {
public:
    permit_lock(const client& servers, const std::string& path, permit_share share)
        : semaphore_{servers, path, share.limit}, taken_{share.taken} {}

    [[nodiscard]] const std::string& path() const noexcept { return semaphore_.path(); }
    result<guard> acquire(acquire_options how) {
        return semaphore_.acquire(taken_, std::move(how));
    }
    result<guard> try_acquire(acquire_options how) {
        return semaphore_.try_acquire(taken_, std::move(how));
    }
    void async_acquire(acquire_options how, std::function<void(result<guard>)> handler) {
        semaphore_.async_acquire(taken_, std::move(how), std::move(handler));
    }

private:
    semaphore semaphore_;
    std::int32_t taken_;
};

any_lock lock_at(const client& servers, const std::string& path, const run_options& options) {
    switch (options.kind) {
        case wanted_kind::permits:
            return std::make_shared<permit_lock>(servers, path, options.permits);
        case wanted_kind::mutex:
            return std::make_shared<mutex>(servers, path,
                                           lock_options{.lock_delay = options.lock_delay});
        case wanted_kind::shared:
            return std::make_shared<shared_mutex_view>(shared_mutex{servers, path}.readers());
        case wanted_kind::exclusive: break;
    }
    return std::make_shared<shared_mutex_view>(shared_mutex{servers, path}.writers());
}

// Exclusive and shared contenders share one queue.
wanted_kind queue_kind(wanted_kind kind) {
    return kind == wanted_kind::shared ? wanted_kind::exclusive : kind;
}

wanted_lock::wanted_lock(const client& servers, const run_options& options)
    : try_only_{options.try_only} {
    for (const auto& path : options.paths) locks_.push_back(lock_at(servers, path, options));
    if (locks_.size() > 1) all_ = std::make_unique<multi_lock>(locks_);
}

result<guard> wanted_lock::take(acquire_options how) {
    if (all_) return try_only_ ? all_->try_acquire(std::move(how)) : all_->acquire(std::move(how));
    return try_only_ ? locks_.front().try_acquire(std::move(how))
                     : locks_.front().acquire(std::move(how));
}

lock_kind kind_of_queue(wanted_kind kind) {
    switch (kind) {
        case wanted_kind::mutex: return lock_kind::mutex;
        case wanted_kind::permits: return lock_kind::semaphore;
        case wanted_kind::shared:
        case wanted_kind::exclusive: break;
    }
    return lock_kind::shared_mutex;
}

// Returns the holder at the path. Skips the znode of this run: after a failed try, the client removes that znode in the
// background, so the queue may still contain it.
std::optional<contender> holder_at(const client& servers, const std::string& path,
                                   const run_options& options) {
    const auto found =
        locks_at(servers, path, {.timeout = options.servers.connect_timeout, .most_read = 1});
    if (!found) return std::nullopt;
    for (const auto& lock : *found)
        if (lock.kind == kind_of_queue(options.kind) && !lock.holders.empty() &&
            lock.holders.front().session_id != servers.session().id)
            return lock.holders.front();
    return std::nullopt;
}

// Describes the holder of a lock that `run --try` did not get. Returns the end of an error message, such as "; held by
// web1, pid 12, nightly, since 2026-11-21T04:38:36Z". With several paths, names each held path and its holder. Reads
// only the first contender of each path. Returns an empty text if the lock is free by now, or if no server answers in
// time. The text may contain any bytes of other clients.
std::string holder_text(const client& servers, const run_options& options) {
    std::string text;
    for (const auto& path : options.paths) {
        const auto holder = holder_at(servers, path, options);
        if (!holder) continue;
        text += options.paths.size() == 1 ? "; held by " : "; " + path + " is held by ";
        text += identity_of(*holder);
        if (const auto& since = holder->metadata.since; !since.empty()) text += ", since " + since;
    }
    return text;
}

int code_of(const error& failure, const run_options& options) {
    const int code = exit_code_of(failure.code());
    if (code == k_busy) return options.conflict_exit_code;
    return code == k_lost ? options.keeping.lost_exit_code : code;
}

int complain_of(const client& servers, const error& failure, const run_options& options) {
    const int code = code_of(failure, options);
    // After a signal, no message is necessary.
    if (failure == errc::cancelled || failure == errc::closed) return code;
    const bool taken = failure == errc::busy;
    return complain(
        message_with_options(failure, options.kind) + (taken ? holder_text(servers, options) : ""),
        code);
}

// An exception that carries a failed command's exit code through job_gate, which records the failure.
struct command_failed {
    int code;
};

// Checks that the hold's znode still exists: another client may have removed it since the servers last confirmed the
// hold. A hold on several locks has no single znode, so only its lease is checked.
result<void> still_stands(guard& hold, std::chrono::milliseconds patience) {
    if (hold.znode().empty()) return {};
    const auto asked = hold.commit(transaction{}.check("/"), {.timeout = patience});
    return asked ? result<void>{} : asked.error();
}

int code_with_loss(int code, const error& failure, const run_options& options) {
    const int lost = options.keeping.lost_exit_code;
    if (exit_code_of(failure.code()) != k_lost || code == lost) return code;
    return complain("the lock was lost while the command ran: " + failure.message(), lost);
}

int report_not_due(const job_report& report, const run_options& options) {
    if (options.quiet) return options.not_due_exit_code;
    const bool runs = report.verdict == job_verdict::running;
    const auto wait = std::chrono::ceil<std::chrono::seconds>(report.retry_in);
    std::string line =
        options.paths.front() +
        (runs ? ": another process runs the job; try again in " : ": the job is not due for ") +
        duration_text(wait);
    if (!report.record.by.empty()) line += "; last started by " + report.record.by;
    return complain(line, options.not_due_exit_code);
}

}  // namespace

int work_under_lock(const client& servers, const run_options& options, acquire_options how,
                    const held_work& work) {
    auto hold = wanted_lock{servers, options}.take(std::move(how));
    if (!hold) return complain_of(servers, hold.error(), options);
    const int code = work(*hold);
    const auto stood = still_stands(*hold, options.servers.connect_timeout);
    // A failed release does no harm: the hold then ends with the session, at the latest when this process ends.
    static_cast<void>(hold->release(options.servers.connect_timeout));
    return stood ? code : code_with_loss(code, stood.error(), options);
}

int work_once(const client& servers, const run_options& options, acquire_options how,
              const held_work& work) {
    // `at_most_for` limits the harm of a run that dies before it records its end: such a run blocks later runs for one
    // period, and no longer.
    job_gate gate{servers,
                  options.paths.front(),
                  {.period = options.once_per, .at_most_for = options.once_per}};
    int code = k_success;
    try {
        const auto report = gate.run(
            [&](job_run& run) {
                code = work(run.lock());
                if (code != k_success) throw command_failed{code};
            },
            std::move(how));
        if (!report) return complain_of(servers, report.error(), options);
        if (report->verdict != job_verdict::ran) return report_not_due(*report, options);
        if (report->unrecorded) return code_with_loss(code, *report->unrecorded, options);
        return code;
    } catch (const command_failed& failure) {
        return failure.code;
    }
}

result<std::vector<contender>> queue_at(const client& servers, const std::string& path,
                                        wanted_kind kind, const query_options& limits) {
    switch (queue_kind(kind)) {
        case wanted_kind::mutex: return mutex{servers, path}.queue(limits);
        case wanted_kind::permits: return semaphore{servers, path}.queue(limits);
        default: return shared_mutex{servers, path}.queue(limits);
    }
}

}  // namespace turnstile::cli
